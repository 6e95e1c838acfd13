"""Keys and grants as laws: digests, validity, and that narrowing never widens."""

from hypothesis import given
from hypothesis import strategies as st

from remora.core.directory.keys import Credential, grant_for, key_digest, narrowed, rights_of
from remora.core.directory.values import EVERY_REPOSITORY, Key, Member, RepositoryGrant, organisation_id
from remora.core.scope import Grant, Right, Trust, operator_grant

ANN = Member("acme", "ann", 1)
NAMES = ("one", "two", "three", "*")
rights = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(list(Right))).map(
    lambda chosen: tuple(sorted(chosen.items()))
)
grants = st.builds(
    Grant,
    principal=st.sampled_from(["a", "b"]),
    rights=rights,
    workspaces=st.frozensets(st.sampled_from(["w", "x", "*"])),
    allow_private=st.booleans(),
    trust=st.sampled_from(list(Trust)),
)


def key(right: Right = Right.WRITE, **more: object) -> Key:
    return Key(id="key_1", member=ANN.id, name="k", right=right, created=1, **more)  # type: ignore[arg-type]


@given(grants, grants)
def test_a_grant_under_a_ceiling_is_never_wider_than_either(grant: Grant, ceiling: Grant) -> None:
    result = narrowed(grant, ceiling)
    for name in (*NAMES, "another"):
        assert result.right(name) == min(grant.right(name), ceiling.right(name))
    for workspace in ("w", "x", "y"):
        seen = [bool({"*", workspace} & given.workspaces) for given in (grant, ceiling)]
        assert bool({"*", workspace} & result.workspaces) == all(seen)
    assert result.allow_private == (grant.allow_private and ceiling.allow_private)
    assert result.trust == min(grant.trust, ceiling.trust)
    assert not result.operator
    assert result.principal == grant.principal


@given(grants)
def test_the_operators_ceiling_changes_nothing(grant: Grant) -> None:
    assert narrowed(grant, operator_grant()) == grant


@given(st.lists(st.tuples(st.sampled_from(["r_1", "r_2", "*"]), st.booleans(), st.sampled_from(list(Right)))))
def test_rights_are_the_best_of_member_and_organisation_under_the_keys_cap(
    rows: list[tuple[str, bool, Right]],
) -> None:
    given_rows = [RepositoryGrant(name, ANN.id if own else organisation_id("acme"), right) for name, own, right in rows]
    given_rows.append(RepositoryGrant("r_1", organisation_id("globex"), Right.ADMIN))
    found = dict(rights_of(ANN, key(Right.WRITE), given_rows, {"r_1": "one", "r_2": "two"}))
    for name, identity in (("r_1", "one"), ("r_2", "two"), (EVERY_REPOSITORY, "*")):
        best = max((right for row, _, right in rows if row == name), default=Right.NONE)
        assert found.get(identity, Right.NONE) == min(best, Right.WRITE)


def test_a_key_that_names_repositories_opens_no_other_and_not_every_one() -> None:
    rows = [RepositoryGrant(name, ANN.id, Right.WRITE) for name in ("r_1", "r_2", EVERY_REPOSITORY)]
    narrow = key(repositories=("r_1",))
    assert rights_of(ANN, narrow, rows, {"r_1": "one", "r_2": "two"}) == (("one", Right.WRITE),)


def test_a_key_opens_nothing_when_it_is_revoked_expired_another_or_its_member_is_gone() -> None:
    def opened(row: Key, member: Member = ANN, digest: str = "d", now: int = 10) -> bool:
        return grant_for(Credential(row, "d", member, (("one", Right.READ),)), digest, now) is not None

    assert opened(key())
    assert opened(key(expires=11))
    assert not opened(key(expires=10))
    assert not opened(key(revoked=5))
    assert not opened(key(), digest="e")
    assert not opened(key(), member=Member("acme", "ann", 1, removed=9))


@given(st.text(), st.binary(min_size=32, max_size=32))
def test_a_digest_depends_on_the_secret_and_never_fails(text: str, secret: bytes) -> None:
    assert len(key_digest(secret, text)) == 64
    assert key_digest(secret, text) != key_digest(secret + b"x", text)
