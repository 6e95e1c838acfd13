"""Laws of the fact algebra, against a naive model that shares no code with it."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from facts_shelf import Shelf
from remora.core.errors import InvalidBatch
from remora.core.facts.batch import Triple
from remora.core.facts.intervals import closed, holds_at, is_open, opened, union
from remora.core.scope import Trust

NAMES = st.sampled_from("abcdef")
PREDICATES = st.sampled_from(["IS", "USES"])
TRIPLES = st.tuples(NAMES, PREDICATES, NAMES)
WRITES = st.lists(
    st.tuples(st.lists(TRIPLES | st.tuples(NAMES, st.just("SAME_AS"), NAMES), max_size=4), st.booleans()), max_size=8
)
TIMES = st.lists(st.integers(0, 60), min_size=0, max_size=8, unique=True).map(sorted)


class Naive:
    """Facts as a dict of sets of instants; entities as a partition of names."""

    def __init__(self):
        self.leader = {}
        self.held = defaultdict(set)
        self.open = set()
        self.confirmations = defaultdict(int)
        self.first = {}

    def find(self, name):
        return self.leader.setdefault(name, name)

    def say(self, triples, replacing):
        for subject, predicate, target in triples:
            if predicate == "SAME_AS":
                self.merge(subject, target)
                continue
            key = (self.find(subject), predicate, self.find(target))
            if replacing:
                self.open -= {other for other in self.open if other[:2] == key[:2] and other != key}
            self.open.add(key)
            self.confirmations[key] += 1

    def merge(self, subject, target):
        known = target in self.leader
        into = self.find(subject)
        gone = self.leader.get(target)
        if gone == into:
            return
        if not known:
            self.leader[target] = into
            return
        self.leader = {name: into if lead == gone else lead for name, lead in self.leader.items()}

        def moved(key):
            return tuple(into if part == gone else part for part in key)

        def stays(key):
            new = moved(key)
            return key[0] == key[2] or new[0] != new[2]

        self.open = {moved(key) for key in self.open if stays(key)}
        counts = defaultdict(int)
        for key, count in self.confirmations.items():
            if stays(key):
                counts[moved(key)] += count
        self.confirmations = counts


def groups(shelf, keys):
    """Facts with each end as the set of all its names."""
    names = {entity.id: frozenset(entity.names) for entity in shelf.entities()}
    return {(names[fact.subject], fact.predicate, names[fact.object]): keys(fact) for fact in shelf.facts()}


def naive_groups(model, facts):
    members = defaultdict(set)
    for name, lead in model.leader.items():
        members[lead].add(name)
    return {
        (frozenset(members[subject]), predicate, frozenset(members[target])): value
        for (subject, predicate, target), value in facts.items()
    }


@given(WRITES)
@settings(max_examples=300, deadline=None)
def test_plans_applied_one_after_another_equal_a_naive_model(writes):
    shelf, model = Shelf(), Naive()
    for triples, replacing in writes:
        shelf.say(*triples, replacing=replacing)
        model.say(triples, replacing)
    found = groups(shelf, lambda fact: (fact.current, fact.confirmations))
    wanted = naive_groups(model, {key: (key in model.open, n) for key, n in model.confirmations.items()})
    assert found == wanted
    keys = {name: entity.id for entity in shelf.entities() for name in entity.names}
    assert shelf.aliases() == keys


@given(WRITES)
@settings(max_examples=150, deadline=None)
def test_intervals_never_overlap_and_history_is_never_lost(writes):
    shelf = Shelf()
    past = {}
    for triples, replacing in writes:
        shelf.say(*(t for t in triples if t[1] != "SAME_AS"), replacing=replacing)
        past[shelf.now] = shelf.current()
        for fact in shelf.facts():
            flat = [time for interval in fact.intervals for time in interval]
            assert None not in flat[:-1]
            times = [time for time in flat if time is not None]
            assert times == sorted(times)
    for at, known in past.items():
        assert shelf.current(at) == known


@given(st.lists(TRIPLES, unique=True, max_size=6), st.randoms())
@settings(max_examples=100, deadline=None)
def test_independent_triples_may_come_in_any_order(triples, random):
    one, other = Shelf(), Shelf()
    one.say(*triples)
    shuffled = list(triples)
    random.shuffle(shuffled)
    other.say(*shuffled)
    assert one.items == other.items


@given(st.lists(TRIPLES, max_size=5), st.lists(TRIPLES, max_size=3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_retry_changes_nothing(triples, between, replacing):
    shelf = Shelf()
    shelf.say(*triples, key="k", replacing=replacing)
    shelf.say(*between, key="other")
    before = dict(shelf.items)
    shelf.say(*triples, key="k", replacing=replacing)
    assert shelf.items == before


@given(WRITES)
@settings(max_examples=100, deadline=None)
def test_confirmations_only_grow(writes):
    shelf = Shelf()
    seen = {}
    for triples, replacing in writes:
        shelf.say(*(t for t in triples if t[1] != "SAME_AS"), replacing=replacing)
        now = {fact.id: fact.confirmations for fact in shelf.facts()}
        assert all(now[item] >= count for item, count in seen.items())
        seen = now


@given(st.lists(TRIPLES, min_size=1, max_size=10), TRIPLES)
@settings(max_examples=100, deadline=None)
def test_replace_leaves_exactly_one_open_value(triples, last):
    shelf = Shelf()
    shelf.say(*triples)
    others = {fact for fact in shelf.current() if fact[:2] != last[:2]}
    shelf.say(last, replacing=True)
    assert shelf.current() == others | {last}


@given(st.lists(TRIPLES, min_size=1, max_size=10), NAMES, NAMES)
@settings(max_examples=200, deadline=None)
def test_a_merge_leaves_the_same_current_facts_up_to_renaming(triples, into, gone):
    shelf = Shelf()
    shelf.say(*triples)
    before = shelf.current()
    shelf.say((into, "SAME_AS", gone))

    def renamed(name):
        return into if name == gone else name

    wanted = {(renamed(s), p, renamed(o)) for s, p, o in before if s == o or renamed(s) != renamed(o)}
    assert shelf.current() == wanted


@given(
    st.lists(st.tuples(TRIPLES | st.tuples(NAMES, st.just("SAME_AS"), NAMES), st.sampled_from(Trust)), max_size=10),
)
@settings(max_examples=150, deadline=None)
def test_what_trust_wrote_stays_until_equal_trust_ends_it(writes):
    shelf = Shelf()
    for triple, trust in writes:
        before = {fact.id: fact for fact in shelf.facts()}
        try:
            shelf.say(triple, replacing=True, trust=trust)
        except InvalidBatch:
            assert {fact.id: fact for fact in shelf.facts()} == before
            continue
        after = {fact.id: fact for fact in shelf.facts()}
        for item, fact in before.items():
            if fact.trust > trust and fact.current:
                assert item in after
                assert after[item].current


@given(TIMES)
def test_opening_and_closing_keeps_intervals_sorted(times):
    intervals = ()
    for at, time in enumerate(times):
        intervals = closed(intervals, time) if at % 2 else opened(intervals, time)
        assert is_open(intervals) == (at % 2 == 0)
    pairs = [times[at : at + 2] for at in range(0, len(times), 2)]
    for moment in range(62):
        wanted = any(p[0] <= moment and (len(p) == 1 or moment < p[1]) for p in pairs)
        assert holds_at(intervals, moment) == wanted


@given(TIMES, TIMES)
def test_a_union_holds_whenever_one_of_both_did(first, second):
    def build(times):
        made = ()
        for at, time in enumerate(times):
            made = closed(made, time) if at % 2 else opened(made, time)
        return made

    one, other = build(first), build(second)
    both = union(one, other)
    assert both == union(other, one)
    assert union(both, one) == both
    for moment in range(62):
        assert holds_at(both, moment) == (holds_at(one, moment) or holds_at(other, moment))


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_no_text_crashes_a_write_and_what_is_kept_is_clean(subject, predicate, target, type_):
    shelf = Shelf()
    try:
        shelf.say(Triple(subject=subject, predicate=predicate, object=target, subject_type=type_))
    except InvalidBatch as error:
        str(error).encode()
        assert shelf.items == {}
    for entity in shelf.entities():
        entity.name.encode()
        assert entity.name == " ".join(entity.name.split())
        assert entity.name.isprintable() or not entity.name.isascii()
