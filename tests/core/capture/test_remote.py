"""One place has one identity, however its remote is spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.remote import normal_remote


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/api",
        "https://github.com/acme/api.git",
        "https://github.com/acme/api.git/",
        "https://github.com:443/acme/api/",
        "https://user:s3cret@github.com/acme/api.git",
        "https://oauth2:ghp_abc@GitHub.com/acme/api?x=1#y",
        "http://github.com/acme/api.git",
        "git://github.com/acme/api.git",
        "git@github.com:acme/api.git",
        "git@github.com:/acme/api.git",
        "github.com:acme/api",
        "ssh://git@github.com/acme/api.git",
        "ssh://git@github.com:22/acme/api.git",
        "ssh://git@ssh.github.com:443/acme/api.git",
        "git+ssh://git@github.com/acme//api.git",
        "  https://github.com/acme/api.git\n",
    ],
)
def test_every_spelling_of_one_place_is_one_identity(url: str) -> None:
    assert normal_remote(url) == "https://github.com/acme/api"


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("https://git.acme.test:8443/team/api.git", "https://git.acme.test:8443/team/api"),
        ("ssh://git@git.acme.test:2222/team/api.git", "https://git.acme.test/team/api"),
        ("git@ssh.dev.azure.com:v3/org/project/repo", "https://dev.azure.com/org/project/_git/repo"),
        ("https://org@dev.azure.com/org/project/_git/repo", "https://dev.azure.com/org/project/_git/repo"),
        ("https://[2001:db8::1]/a/b.git", "https://[2001:db8::1]/a/b"),
        ("git@[2001:db8::1]:a/b.git", "https://[2001:db8::1]/a/b"),
        ("/srv/git/api.git", "file:///srv/git/api"),
        ("/srv/work/api/.git", "file:///srv/work/api"),
        ("file:///srv/git/api.git", "file:///srv/git/api"),
        ("../api.git", "file:///srv/api"),
        ("C:\\git\\api.git", "file:///C:/git/api"),
        ("ext::sh -c id", ""),
        ("", ""),
        ("https://", ""),
        ("https://github.com/", ""),
        ("https://github.com:99999999/a/b", ""),
    ],
)
def test_other_places_keep_their_own(url: str, identity: str) -> None:
    assert normal_remote(url, base="/srv/here") == identity


def test_credentials_never_reach_an_identity() -> None:
    for url in ("https://u:hunter2@h.test/a/b", "ssh://u:hunter2@h.test/a", "ftp://u:hunter2@h.test/a"):
        assert "hunter2" not in normal_remote(url)


@given(st.text(max_size=200))
def test_any_text_has_a_printable_stable_identity(url: str) -> None:
    identity = normal_remote(url, base="/srv")
    assert identity.isprintable()
    assert normal_remote(identity, base="/srv") == identity or not identity.startswith("https://")
