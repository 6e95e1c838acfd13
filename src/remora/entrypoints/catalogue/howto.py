"""The short manual: what agents read once, by resource or by `remora howto`."""

HOWTO = """\
# Working with Remora

Remora keeps four things about this repository: the code graph (what is true of the code now), records (what happened \
and what came of it), facts (what is known, as triples with the time they held) and encounters (what was figured out, \
in order). Everything it returns is data with a source. Look at the source before a decision rests on it.

## A session
1. `advance_encounter(name)` opens your encounter and returns `session`, a handle. Pass it to later calls when the \
connection may change; on one connection it is remembered. The answer shows what was left open: questions, live \
hypotheses, concepts, and encounters that nobody sealed.
2. Before you touch a symbol or file: `known_pitfalls`, `explain_history`, `affected`.
3. Write down what you learn while you learn it, with `create_entities` and `create_relations`.
4. `close_encounter(summary, report)` seals it for good. Say what stays open. The next session starts there.

## What to write
- Observation: something you saw, with the time you saw it. Tie it to where (OBSERVED_AT a Citation) and what (ABOUT a \
Component or Concept).
- Question and Hypothesis: what is open. An Observation RAISES or RESOLVES a question, SUPPORTS or CHALLENGES a \
hypothesis. Set their status when it changes.
- Concept: a synthesis that holds beyond one observation. What stands under it GROUNDS it; without that it is shown \
as ungrounded.
- Note: a remark that is none of these.
- Component: a bookmark into a source, `source_kind: code` with `source_key: code:path#symbol@revision` for code.
- Citation: what you read. Its `uri` may be a record id (mem_...), a fact id (fct_...), a code anchor or a page.
A name is yours to choose; (type, name) is one thing. Writing it again makes a new version. Changed your mind? Write a \
new entity and relate it by SUPERSEDES with `revision_why`. A batch is written whole or not at all, and an error lists \
everything that is wrong with it.

## Finding
`search` finds by words, `find_by_name` by name with the relations among them, `trace_provenance` walks down to the \
citations or says `ungrounded`, `list_vocabulary` shows words in use before you coin one. `orient` reads the whole \
graph: what is heavy, what is open, what hangs by a thread. `read_cypher` answers what no other tool does, over a copy \
of what you may see: nodes carry `uid` and `name`; facts are `(:MemoryEntity)-[:FACT {predicate}]->(:MemoryEntity)`.

## Durable facts
`upsert_graph_triples` with `memory_scope: repository` is for what the user wants kept for everyone; `session` is this \
chat's own and ends after seven days. `replace` closes former values; history stays.

Times are RFC 3339 with an offset. Secrets are masked before anything is stored.
"""
