"""A model's answer is read whatever its shape: whole triples are kept, the rest is counted, and nothing ever raises."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core import policy
from remora.core.extraction.answer import read_answer

ONE = {"subject": "billing", "predicate": "USES", "object": "Stripe", "confidence": 0.9}
TWO = {"subject": "api", "predicate": "DEPENDS_ON", "object": "Redis 7", "confidence": 0.8}
GOOD = json.dumps({"facts": [ONE, TWO]})
BOTH = [("billing", "USES", "Stripe", 0.9), ("api", "DEPENDS_ON", "Redis 7", 0.8)]
FIRST = BOTH[:1]
ROW = '{"subject": "billing", "predicate": "USES", "object": "Stripe", "confidence": 0.9}'
ROW2 = '{"subject": "api", "predicate": "DEPENDS_ON", "object": "Redis 7", "confidence": 0.8}'


def triples(text: str) -> list[tuple[str, str, str, float | None]]:
    return [(t.subject, t.predicate, t.object, t.confidence) for t in read_answer(text).triples]


SHAPES: dict[str, tuple[str, list[tuple[str, str, str, float | None]]]] = {
    "plain": (GOOD, BOTH),
    "indented": (json.dumps({"facts": [ONE, TWO]}, indent=4), BOTH),
    "BOM": ("\ufeff" + GOOD, BOTH),
    "NUL between": (GOOD.replace(", {", ",\x00 {"), BOTH),
    "fenced": (f"```json\n{GOOD}\n```", BOTH),
    "fenced without a language": (f"```\n{GOOD}\n```", BOTH),
    "fence never closed": (f"```json\n{GOOD}", BOTH),
    "fence closed only": (f"{GOOD}\n```", BOTH),
    "fence in prose": (f"Sure! Here you go:\n```json\n{GOOD}\n```\nAnything else?", BOTH),
    "two fences": (f"```json\n[{ROW}]\n```\nand\n```json\n[{ROW2}]\n```", BOTH),
    "prose before": (f"Here are the facts: {GOOD}", BOTH),
    "prose after": (f"{GOOD} I hope this helps!", BOTH),
    "prose with braces": (f"Based on {{x}}: {GOOD} {{y}}", BOTH),
    "prose with brackets": (f"As [1] says [sic]: {GOOD} [end]", BOTH),
    "prose with a brace that opens nothing": (f"{{ well, {GOOD}", BOTH),
    "empty list in prose with braces": ('Based on {x}: {"facts": []} {y}', []),
    "bare list": (f"[{ROW}, {ROW2}]", BOTH),
    "bare object": (ROW, FIRST),
    "two objects": (f"{ROW}\n{ROW2}", BOTH),
    "objects run together": (f"{ROW}{ROW2}", BOTH),
    "JSON lines with commas": (f"{ROW},\n{ROW2},", BOTH),
    "two answers": (f'{{"facts": [{ROW}]}}\n{{"facts": [{ROW2}]}}', BOTH),
    "other key": (GOOD.replace("facts", "triples"), BOTH),
    "nested deeper": (json.dumps({"result": {"data": {"facts": [ONE, TWO]}}}), BOTH),
    "nested arrays": (json.dumps([[ONE], [[TWO]]]), BOTH),
    "string of JSON": (json.dumps(GOOD), BOTH),
    "string of a string of JSON": (json.dumps(json.dumps(GOOD)), BOTH),
    "trailing comma in a list": (f"[{ROW}, {ROW2},]", BOTH),
    "trailing comma in an object": (ROW.replace("0.9}", "0.9,}"), FIRST),
    "many commas": (f"[,,{ROW},,,{ROW2},,]", BOTH),
    "no comma between objects": (f"[{ROW} {ROW2}]", BOTH),
    "no comma between members": (ROW.replace(",", ""), FIRST),
    "semicolons": (ROW.replace(",", ";"), FIRST),
    "single quotes": (GOOD.replace('"', "'"), BOTH),
    "single quotes with an apostrophe": (
        "{'subject': 'Anna's laptop', 'predicate': 'RUNS', 'object': 'Debian', 'confidence': 1}",
        [("Anna's laptop", "RUNS", "Debian", 1.0)],
    ),
    "curly quotes": (
        ROW.replace('{"', "{“").replace('": "', "”: “").replace('", "', "”, “").replace('": ', "”: "),
        FIRST,
    ),
    "backticks": (ROW.replace('"', "`"), FIRST),
    "unquoted keys": (ROW.replace('"subject"', "subject").replace('"predicate"', "predicate"), FIRST),
    "unquoted values": ("{subject: billing, predicate: USES, object: Stripe, confidence: 0.9}", FIRST),
    "equals signs": ("{subject = 'billing', predicate = 'USES', object = 'Stripe', confidence = 0.9}", FIRST),
    "arrows": ("{'subject' => 'billing', 'predicate' => 'USES', 'object' => 'Stripe', 'confidence' => 0.9}", FIRST),
    "Python literals": (f"[{ROW[:-1]}, 'flag': True, 'note': None}}]", FIRST),
    "tuples": ("[('billing', 'USES', 'Stripe', 0.9), ('api', 'DEPENDS_ON', 'Redis 7', 0.8)]", BOTH),
    "arrays of four": ('[["billing", "USES", "Stripe", 0.9], ["api", "DEPENDS_ON", "Redis 7", 0.8]]', BOTH),
    "array of three": ('["billing", "USES", "Stripe"]', [("billing", "USES", "Stripe", None)]),
    "line comments": (f"[\n// the first\n{ROW},\n# the second\n{ROW2}\n]", BOTH),
    "block comments": (f"[/* a */{ROW}/* b, {{c}} */, {ROW2}]", BOTH),
    "ellipsis": (f"[{ROW}, ...]", FIRST),
    "raw newline in a string": (ROW.replace("Stripe", "Stri\npe"), [("billing", "USES", "Stri\npe", 0.9)]),
    "bad escape": (ROW.replace("Stripe", "C:\\Stripe"), [("billing", "USES", "C:Stripe", 0.9)]),
    "unescaped quotes": (ROW.replace("Stripe", 'the "big" one'), [("billing", "USES", 'the "big" one', 0.9)]),
    "cut in a string": (GOOD[: GOOD.index("Redis") + 3], FIRST),
    "cut in a key": (GOOD[: GOOD.index("DEPENDS") - 8], FIRST),
    "cut after a comma": (GOOD[: GOOD.index(', {"subject": "api"') + 2], FIRST),
    "cut before the last brackets": (GOOD[:-2], BOTH),
    "cut in the second object's number": (GOOD[: GOOD.rindex("0.8") + 2], FIRST),
    "cut in the first": (GOOD[:30], []),
    "cut list of arrays": ('[["billing", "USES", "Stripe", 0.9], ["api", "DEPENDS_ON', FIRST),
    "object not closed": (f"[{ROW[:-1]}, {ROW2}]", FIRST[:0] + BOTH[1:]),
    "closed by the wrong bracket": (f"[{ROW[:-1]}]", FIRST),
    "null confidence": (ROW.replace("0.9", "null"), [("billing", "USES", "Stripe", None)]),
    "missing confidence": (ROW.replace(', "confidence": 0.9', ""), [("billing", "USES", "Stripe", None)]),
    "confidence as text": (ROW.replace("0.9", '"0.9"'), FIRST),
    "confidence in percent": (ROW.replace("0.9", '"90%"'), FIRST),
    "bare percent": (ROW.replace("0.9", "90%"), FIRST),
    "confidence in words": (ROW.replace("0.9", '"high"'), [("billing", "USES", "Stripe", None)]),
    "confidence NaN": (ROW.replace("0.9", "NaN"), [("billing", "USES", "Stripe", None)]),
    "confidence Infinity": (ROW.replace("0.9", "Infinity"), [("billing", "USES", "Stripe", None)]),
    "confidence above one": (ROW.replace("0.9", "95"), [("billing", "USES", "Stripe", None)]),
    "confidence true": (ROW.replace("0.9", "true"), [("billing", "USES", "Stripe", None)]),
    "confidence as a list": (ROW.replace("0.9", "[0.9]"), [("billing", "USES", "Stripe", None)]),
    "number for an object": (ROW.replace('"Stripe"', "8080"), [("billing", "USES", "8080", 0.9)]),
    "object for a name": (ROW.replace('"Stripe"', '{"name": "Stripe", "type": "x"}'), FIRST),
    "duplicate keys": (ROW.replace('"object"', '"object": "Old", "object"'), FIRST),
    "duplicate lists": (f'{{"facts": [{ROW}], "facts": [{ROW2}]}}', BOTH),
    "repeated triples": (f"[{ROW}, {ROW}, {ROW2}]", BOTH),
    "repeated with a higher confidence": (f"[{ROW.replace('0.9', '0.7')}, {ROW}]", FIRST),
    "keys in capitals": (ROW.replace("subject", "Subject").replace("object", "OBJECT"), FIRST),
    "keys abbreviated": ('{"subj": "billing", "rel": "USES", "obj": "Stripe", "score": 0.9}', FIRST),
    "think block": (f"<think>maybe {ROW2} or not</think>\n[{ROW}]", FIRST),
    "think block with attributes": (f'<thinking depth="3">{ROW2}</thinking>[{ROW}]', FIRST),
    "think block that only ends": (f"hm, {ROW2}\n</think>\n[{ROW}]", FIRST),
    "think block that never ends": (f"<think>hm, {ROW}", []),
    "empty": ("", []),
    "blank": (" \n\t ", []),
    "null": ("null", []),
    "a number": ("42", []),
    "refusal in prose": ("I'm sorry, I cannot help with that.", []),
    "markdown table": ("| a | USES | b |", []),
    "XML": ("<facts><fact>a</fact></facts>", []),
    "empty list": ("[]", []),
    "empty object": ("{}", []),
    "list of words": ('["a", "b"]', []),
    "list of numbers": ("[1, 2, 3]", [("1", "2", "3", None)]),
    "members missing": ('[{"subject": "a", "predicate": "USES"}]', []),
    "empty names": (ROW.replace("Stripe", "  "), []),
    "schema echoed": ('{"type": "object", "properties": {"facts": {"type": "array"}}}', []),
    "deep nesting": ("[" * 3000 + ROW + "]" * 3000, FIRST),
    "only openers": ("{[" * 3000, []),
    "only closers": ("}]" * 3000, []),
    "lone surrogates": (ROW.replace("Stripe", "\\ud800"), [("billing", "USES", "\ud800", 0.9)]),
    "huge number": (ROW.replace("0.9", "9" * 5000), [("billing", "USES", "Stripe", None)]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_answer_gives_its_whole_triples(name: str) -> None:
    text, expected = SHAPES[name]
    assert triples(text) == expected


def test_there_are_sixty_shapes_and_more() -> None:
    assert len(SHAPES) >= 60


@pytest.mark.parametrize(
    "name", ["empty", "blank", "null", "a number", "refusal in prose", "think block that never ends"]
)
def test_an_answer_without_json_is_not_an_empty_answer(name: str) -> None:
    assert not read_answer(SHAPES[name][0]).readable
    assert read_answer("[]").readable
    assert read_answer('{"facts": []}').readable


def test_what_is_no_triple_is_counted() -> None:
    answer = read_answer(f'[{ROW}, {ROW}, {{"subject": "a"}}, ["x", "y"]]')
    assert answer.dropped == {"repeated": 1, "shape": 2}
    many = json.dumps([{**ONE, "object": f"o{n}"} for n in range(policy.EXTRACTED_TRIPLES_MAX + 5)])
    answer = read_answer(many)
    assert len(answer.triples) == policy.EXTRACTED_TRIPLES_MAX
    assert answer.dropped == {"limit": 5}


WHOLE = 5_000_000
MEGABYTES = 1_000_000
HUGE = {
    "one good answer in spaces": " " * WHOLE + ROW,
    "good triples without end": "[" + ",".join([ROW] * (MEGABYTES // len(ROW))) + "]",
    "the same, cut": "[" + ",".join([ROW] * (WHOLE // len(ROW))),
    "the same in prose": "Well: [" + ",".join([ROW] * (MEGABYTES // len(ROW))) + "] ok",
    "the same in single quotes": "[" + ",".join([ROW.replace('"', "'")] * (MEGABYTES // len(ROW))) + "]",
    "opening braces": "{" * MEGABYTES,
    "opening brackets": "[" * WHOLE,
    "braces and words": "{a:" * (MEGABYTES // 3),
    "brackets and words": "[a," * (MEGABYTES // 3),
    "quotes": '"' * MEGABYTES,
    "quotes in a list": "[" + '"' * MEGABYTES,
    "quotes and spaces": "[" + '"   ' * (MEGABYTES // 4),
    "apostrophes in a list": "['" + "' x" * (MEGABYTES // 3),
    "backslashes": '["' + "\\" * MEGABYTES,
    "one long string": '{"subject": "' + "x" * WHOLE + '"}',
    "one long unfinished string": '{"subject": "' + "x" * MEGABYTES,
    "thoughts": "<think>" * (MEGABYTES // 7),
    "ended thoughts": "</think>" * (MEGABYTES // 8),
    "comments": "[" + "/*" * (MEGABYTES // 2),
    "slashes": "[" + "//\n" * (MEGABYTES // 3),
    "commas": "[" + "," * MEGABYTES,
    "digits": "[" + "9" * MEGABYTES,
    "keys without end": "{" + "a:1," * (MEGABYTES // 4),
    "prose": "lorem ipsum [dolor] {sit} " * (MEGABYTES // 26),
    "fences": "```json\n" * (MEGABYTES // 8),
    "string of strings": json.dumps(json.dumps("x" * MEGABYTES)),
}


@pytest.mark.parametrize("name", HUGE)
def test_five_megabytes_take_bounded_time(name: str) -> None:
    started = time.process_time()
    answer = read_answer(HUGE[name])
    assert time.process_time() - started < 4.0
    assert len(answer.triples) <= policy.EXTRACTED_TRIPLES_MAX


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda text: text.strip() == text and text
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"subject": NAMES, "predicate": NAMES, "object": NAMES, "confidence": st.floats(0, 1, allow_nan=False)}
    ),
    max_size=6,
    unique_by=lambda row: (row["subject"], row["predicate"], row["object"]),
)


def expected(rows: list[dict[str, object]]) -> list[tuple[object, ...]]:
    return [(row["subject"], row["predicate"], row["object"], row["confidence"]) for row in rows]


@settings(deadline=None)
@given(ROWS, st.sampled_from(["{}", "```json\n{}\n```", "Facts: {} done", "<think>x {{</think>{}", "{}\n```"]))
def test_whatever_is_wrapped_is_read_exactly(rows: list[dict[str, object]], wrapping: str) -> None:
    text = wrapping.replace("{{", "{").replace("{}", json.dumps({"facts": rows}), 1)
    assert triples(text) == expected(rows)


@settings(deadline=None)
@given(ROWS, st.data())
def test_a_cut_answer_keeps_the_whole_triples_and_no_half_ones(
    rows: list[dict[str, object]], data: st.DataObject
) -> None:
    text = json.dumps({"facts": rows})
    cut = text[: data.draw(st.integers(0, len(text)))]
    found = triples(cut)
    assert found == expected(rows)[: len(found)]
    whole = [json.dumps(row) for row in rows]
    assert len(found) >= sum(cut.find(row) >= 0 for row in whole)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_text_ever_raises(text: str) -> None:
    read_answer(text)


MARKS = [
    '{"subject": "a"', ROW, "[", "]", "{", "}", '"', "'", ",", ":", "\\", "/*", "#", "null",
    "<think>", "</think>", "```", "\n", "(", "“", "=", ";", "1.5",
]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=30).map("".join))
def test_no_mixture_of_marks_ever_raises(text: str) -> None:
    answer = read_answer(text)
    assert all(triple.subject and triple.predicate and triple.object for triple in answer.triples)
