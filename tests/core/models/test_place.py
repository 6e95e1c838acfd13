"""Only loopback is local, or a private address that was listed: one address of another kind refuses the host."""

import ipaddress

from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core.models.place import not_local

ANY = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)
LOOPBACK = st.one_of(
    st.ip_addresses(network="127.0.0.0/8").map(str), st.just("::1"), st.just("::ffff:127.0.0.1"), st.just("::1%lo")
)
PUBLIC = ANY.filter(lambda raw: ipaddress.ip_address(raw).is_global)


@settings(deadline=None)
@given(st.lists(LOOPBACK, min_size=1))
def test_loopback_is_local(addresses: list[str]) -> None:
    assert not_local("h", addresses, ()) == ""


@settings(deadline=None)
@given(st.lists(LOOPBACK), PUBLIC, st.lists(LOOPBACK))
def test_one_public_address_refuses_the_host_even_when_it_is_listed(
    before: list[str], address: str, after: list[str]
) -> None:
    assert not_local("h", [*before, address, *after], ("h", address, "0.0.0.0/0", "::/0"))


@settings(deadline=None)
@given(st.lists(ANY, min_size=1))
def test_nothing_but_loopback_is_local_where_nothing_is_listed(addresses: list[str]) -> None:
    wholly = all(not_local("h", [one], ()) == "" for one in addresses)
    assert (not_local("h", addresses, ()) == "") is wholly


def test_private_hosts_count_by_name_by_address_and_by_network() -> None:
    for listed in (["gpu.lan"], ["10.0.0.5"], ["10.0.0.0/24"], ["junk", "10.0.0.0/8"]):
        assert not_local("gpu.lan", ["10.0.0.5", "127.0.0.1"], listed) == ""
    for listed in ([], ["other.lan"], ["10.0.1.0/24"], ["10.0.0.5/99"]):
        assert "not in local_hosts" in not_local("gpu.lan", ["10.0.0.5"], listed)
    assert not_local("gpu.lan", ["fd00::5"], ["fd00::/8"]) == ""


def test_no_address_and_what_is_no_address_are_not_local() -> None:
    assert not_local("h", [], ("h",))
    assert not_local("h", ["localhost"], ("h",))
    for odd in ("0.0.0.0", "::", "169.254.169.254", "fe80::1", "224.0.0.1", "::ffff:8.8.8.8", "240.0.0.1"):
        assert not_local("h", [odd], ("h", "0.0.0.0/0", "::/0"))
