"""Everyday requests, which no memory bears on: what a prompt must be less like than like what is remembered."""

from collections.abc import Iterable
from typing import Final

from remora.core.cosine import cosine, floats

CHORES: Final = tuple(
    line
    for line in """
fix the spelling mistake in this text
rename this variable or function
write a docstring or a comment for this function
translate this sentence into another language
what is the syntax of this language feature
how do I use this git command
squash, rebase or revert commits
write a commit message for these changes
resolve this merge conflict
create a new branch
format this file and sort its imports
add type annotations
convert this data from one format to another
write a regular expression that matches this
generate random sample data for tests
explain what this code does
what is the difference between these two functions
summarise this document in a few sentences
make this paragraph shorter and friendlier
write a poem or a joke
say hello, introduce yourself
thanks, that is all for today
what is the weather like
which ticket or task in the tracker is this
create a calendar event or an invitation
take a screenshot of the page
how do I configure my editor or terminal
set up keyboard shortcuts or a colour theme
install a package or upgrade a dependency
run the tests and show me the output
run the linter and fix what it says
start the development server
which version is installed
how do I list files or search in them
open the file and show me the first lines
count the lines in this folder
draft an email to a colleague
plan the meeting and its agenda
make a table of these values
sort this list alphabetically
delete the unused import
split this long line
extract this block into a function
what does this error message mean
add a log statement here
create a new empty file
copy this file to another folder
bump the version number
update the changelog
add a line to the readme
who reviews this pull request
write a unit test for this function
calculate the sum of these numbers
convert this unit or this time zone
what time is it in another city
recommend a book or a tool
write a shell one-liner
make a diagram of these boxes
set an environment variable
""".strip().splitlines()
)
"""In general words, about no product: a prompt that is one of these is nobody's decision."""


def chore_likeness(prompt: bytes, chores: Iterable[bytes]) -> float:
    """The best cosine of a prompt's vector to an everyday request's; -1.0 without any."""
    mine = floats(prompt)
    return max((score for row in chores if (score := cosine(mine, floats(row))) is not None), default=-1.0)
