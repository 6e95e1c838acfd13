"""Fixtures for the fact algebra."""

import pytest

from facts_shelf import Shelf


@pytest.fixture
def shelf():
    return Shelf()


@pytest.fixture
def new_shelf():
    return Shelf
