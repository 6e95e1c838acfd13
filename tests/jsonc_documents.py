"""Random JSON documents as people write them: comments, trailing commas, odd blanks, at times hooks of their own."""

import json

from hypothesis import strategies as st

blank = st.sampled_from(["", " ", "\n", "\r\n  ", "\t", " /* x, ] */ ", " // y }\n"])
keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=5).map(json.dumps)


@st.composite
def document(draw: st.DrawFn, depth: int = 0) -> str:
    shape = (
        draw(st.sampled_from(["scalar", "object", "array"])) if 0 < depth < 4 else "object" if depth == 0 else "scalar"
    )
    if shape == "scalar":
        return draw(st.sampled_from(["1", "-2.5e3", "true", "null", '"a \\" // b"', '"/* x"', '"é"']))
    count = draw(st.integers(0, 3))
    names = draw(st.lists(keys, min_size=count, max_size=count, unique_by=json.loads))
    if depth == 0 and count and draw(st.booleans()):
        names[0] = '"hooks"'
    parts = []
    for index in range(count):
        is_hooks = depth == 0 and names[index] == '"hooks"'
        inner = (
            draw(st.sampled_from(["{}", "{ /* none */ }", '{"SessionStart": []}', '{\n "Stop": [1,]}']))
            if is_hooks
            else draw(document(depth + 1))
        )
        body = inner if shape == "array" else f"{names[index]}{draw(blank)}:{draw(blank)}{inner}"
        parts.append(draw(blank) + body + draw(blank))
    tail = "," + draw(blank) if parts and draw(st.booleans()) else draw(blank)
    opener, closer = ("{", "}") if shape == "object" else ("[", "]")
    return opener + ",".join(parts) + tail + closer
