"""One consistent, authorised view of the record index: every query sees only what the caller may see."""

# ruff: noqa: S608 - spliced into SQL are only our own column lists, integers and closed vocabularies

import heapq
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from math import log
from typing import Concatenate, ParamSpec, TypeVar

import apsw

from remora.adapters.sqlite.record_layout import CANDIDATE_COLUMNS, CANDIDATE_TABLES, bindable, candidate, packed, whole
from remora.adapters.sqlite.record_postings import CATEGORY_TERM, KIND_TERM, Postings
from remora.core import policy
from remora.core.graph import TermStats
from remora.core.records.access import may_see_scope
from remora.core.records.indexed import AnchorKey, IndexedRecord, IndexState, Lineage, Narrowing, RecordCandidates
from remora.core.records.log import BadRecord
from remora.core.records.vocabulary import Relation, ScopeKind
from remora.core.scope import Grant

_NEWEST = " ORDER BY d.occurred_at DESC, d.id LIMIT ?"


DAMAGE = (
    *(apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.ConstraintError, apsw.IOError),
    UnicodeDecodeError,
)
"""What says that the file is no index of ours any more; a text with flipped bits is no UTF-8."""
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


def _repaired(
    query: Callable[Concatenate["SqliteRecordView", _Params], _Result],
) -> Callable[Concatenate["SqliteRecordView", _Params], _Result]:
    """Ask again after a rebuild when a query meets damage: the file is derived, so no answer depends on it."""

    @wraps(query)
    def asked(view: "SqliteRecordView", /, *args: _Params.args, **options: _Params.kwargs) -> _Result:
        try:
            return query(view, *args, **options)
        except DAMAGE:
            view.reload()
            return query(view, *args, **options)

    return asked


class SqliteRecordView:
    """Queries inside one read transaction under one grant."""

    def __init__(
        self,
        con: apsw.Connection,
        origin: str,
        grant: Grant,
        rebuild: Callable[[], apsw.Connection],
        unreachable: Collection[str] = frozenset(),
    ) -> None:
        self._unreachable = unreachable
        self._grant = grant
        self._origin = origin
        self._rebuild = rebuild
        self._load_parts(con)

    def reload(self) -> None:
        """Go on with a rebuilt index."""
        self._load_parts(self._rebuild())

    def _load_parts(self, con: apsw.Connection) -> None:
        self._con = con
        self._documents = 0
        self._lengths: dict[str, int] = {}
        self._parts = self._visible_parts(self._grant)
        self._where = "1" if self._parts is None else f"d.part IN ({','.join(map(str, self._parts))})"
        self._postings = Postings(con, self._parts)

    def _visible_parts(self, grant: Grant) -> tuple[int, ...] | None:
        """The audiences that the caller belongs to (None: all), with the figures of what they hold together."""
        visible: list[int] = []
        rows = self._con.execute("SELECT part, scope, workspace, owner, repository, docs, lengths FROM part").fetchall()
        for part, scope, workspace, owner, repository, documents, lengths in rows:
            if may_see_scope(grant, ScopeKind(str(scope)), str(workspace), str(owner), str(repository)):
                visible.append(whole(part))
                self._documents += whole(documents)
                for name, length in json.loads(str(lengths)).items():
                    self._lengths[name] = self._lengths.get(name, 0) + length
        return None if len(visible) == len(rows) else tuple(visible)

    @property
    def total(self) -> int:
        """How many records the caller may see."""
        return self._documents

    @property
    @_repaired
    def state(self) -> IndexState:
        """What this view was served from. Files may be anyone's, so only the operator is told of them."""
        if not self._grant.operator:
            return IndexState(self._documents)
        units = whole(self._con.execute("SELECT count(*) FROM unit").get)
        return IndexState(self._documents, units, self._origin, self._bad(), len(self._unreachable))

    def _bad(self) -> tuple[BadRecord, ...]:
        """Everything in the log that cannot be served, also ids that several units hold differently."""
        rows = self._con.execute("SELECT unit, id, problem FROM bad ORDER BY unit, id, problem")
        found = [BadRecord(str(unit), str(problem), str(record_id)) for unit, record_id, problem in rows]
        for record_id, units in self._con.execute("SELECT id, units FROM diverged ORDER BY id"):
            found.append(BadRecord(str(units), "several copies differ, so none is served", str(record_id)))
        return tuple(found)

    # --- Text ---------------------------------------------------------------------------------------------------------

    @_repaired
    def text(
        self, terms: Collection[str], prefixes: Collection[str], narrowing: Narrowing, *, limit: int
    ) -> RecordCandidates:
        """Records that share words with the query, by how rare the shared words are; broad words never narrow."""
        frequency = {term: self._postings.count(term) for term in dict.fromkeys(terms)}
        expanded: dict[str, set[int]] = {}
        for prefix in dict.fromkeys(prefixes):
            if not self._enough(prefix, frequency):
                found = self._postings.documents_of(self._postings.expansions(prefix, policy.RECORD_PREFIX_EXPANSIONS))
                if found:
                    expanded[prefix] = found
        held = frequency | {prefix: len(found) for prefix, found in expanded.items()}
        scores = self._shared(held, expanded, self._allowed(narrowing))
        best = self._cut(scores, limit)
        documents = self._documents
        length = {name: total / documents for name, total in self._lengths.items()} if documents else {}
        stats = TermStats(documents, length, {prefix: held[prefix] for prefix in expanded} | frequency)
        return RecordCandidates(self._load(best), stats, tuple(expanded), len(scores))

    def _enough(self, prefix: str, frequency: Mapping[str, int]) -> bool:
        exact = frequency.get(prefix)
        return (self._postings.count(prefix) if exact is None else exact) >= policy.RECORD_PREFIX_ENOUGH

    def _shared(
        self, held: Mapping[str, int], expanded: Mapping[str, set[int]], allowed: set[int] | None
    ) -> dict[int, int]:
        """Document -> rarity of the words it shares, in thousandths, so that the order of words changes nothing.

        The rarest words narrow, as many as the budget allows and at least one; the others only count in the ranking.
        """
        scores: dict[int, int] = {}
        budget = policy.RECORD_POSTINGS_BUDGET
        for count, term in sorted((count, term) for term, count in held.items() if count):
            budget -= count
            if budget < 0 and scores:
                break
            found = expanded[term] if term in expanded else self._postings.documents(term)
            weight = int(1000 * log(1 + (self._documents - count + 0.5) / (count + 0.5))) + 1
            for doc in found if allowed is None else allowed.intersection(found):
                scores[doc] = scores.get(doc, 0) + weight
        return scores

    def _allowed(self, narrowing: Narrowing) -> set[int] | None:
        kinds = [f"{KIND_TERM}{kind.value}" for kind in narrowing.kinds]
        categories = [f"{CATEGORY_TERM}{int(category)}" for category in narrowing.categories]
        allowed = [self._postings.documents_of(names) for names in (kinds, categories) if names]
        return set.intersection(*allowed) if allowed else None

    def _cut(self, scores: Mapping[int, int], limit: int) -> list[int]:
        if len(scores) <= limit:
            return list(scores)
        lowest = heapq.nlargest(limit, scores.values())[-1]
        sure = [doc for doc, score in scores.items() if score > lowest]
        tied = [doc for doc, score in scores.items() if score == lowest]
        query = f"SELECT d.doc FROM doc d WHERE d.doc IN (SELECT value FROM json_each(?)){_NEWEST}"
        rows = self._con.execute(query, (packed(tied), limit - len(sure)))
        return sure + [whole(doc) for (doc,) in rows]

    def _load(self, docs: Iterable[int]) -> tuple[IndexedRecord, ...]:
        query = f"""SELECT {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES}
          WHERE d.doc IN (SELECT value FROM json_each(?)) ORDER BY d.id"""
        return tuple(candidate(row, self._unreachable) for row in self._con.execute(query, (packed(list(docs)),)))

    # --- Anchors ------------------------------------------------------------------------------------------------------

    @_repaired
    def concrete(self, keys: Collection[str], *, limit: int) -> tuple[str, ...]:
        """Path endings and folders as the whole paths that records name; other keys stay as they are."""
        found: dict[str, None] = {}
        for key in keys:
            found |= dict.fromkeys(self._concrete(bindable(key), limit - len(found)))
        return tuple(found)

    def _concrete(self, key: str, limit: int) -> list[str]:
        kind, _, rest = key.partition(":")
        if kind == "e":
            name = rest.rpartition("/")[2]
            query = f"SELECT key FROM path WHERE ending=?{self._named_visibly('path.key')} ORDER BY key"
            rows = self._con.execute(query, (f"e:{name}",))
            paths = [str(path) for (path,) in rows]
            return [path for path in paths if path == f"p:{rest}" or path.endswith(f"/{rest}")][:limit]
        if kind == "d":
            low, high = f"p:{rest}/", f"p:{rest}0"  # `0` follows `/`
            query = f"""SELECT DISTINCT key FROM anchor AS held WHERE key > ? AND key < ?
              {self._named_visibly("held.key")} ORDER BY key LIMIT ?"""
            return [str(path) for (path,) in self._con.execute(query, (low, high, limit))]
        return [key]

    def _named_visibly(self, key: str) -> str:
        """A condition: some record that the caller may see holds the key, so that hidden paths crowd out nothing."""
        if self._parts is None:
            return ""
        return f" AND EXISTS (SELECT 1 FROM anchor a JOIN doc d USING(doc) WHERE a.key={key} AND {self._where})"

    @_repaired
    def anchored(
        self, keys: Collection[AnchorKey], narrowing: Narrowing, *, limit: int
    ) -> tuple[tuple[IndexedRecord, ...], int]:
        """Records that hold any of the keys within its time, newest first, and how many there are in all."""
        docs: set[int] = set()
        for key in keys:
            query = "SELECT doc FROM anchor WHERE key=? AND at BETWEEN ? AND ?"
            docs |= {whole(doc) for (doc,) in self._con.execute(query, (bindable(key.key), key.since, key.until))}
        where = f"{self._where} AND d.doc IN (SELECT value FROM json_each(?)){_narrowed(narrowing)}"
        chosen = packed(list(docs))
        total = whole(self._con.execute(f"SELECT count(*) FROM doc d WHERE {where}", (chosen,)).get)
        query = f"SELECT {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES} WHERE {where}{_NEWEST}"
        return tuple(candidate(row, self._unreachable) for row in self._con.execute(query, (chosen, limit))), total

    @_repaired
    def lineage(self, keys: Collection[str]) -> tuple[Lineage, ...]:
        """Renames and copies that visible records tell of these keys, oldest first."""
        query = f"""SELECT DISTINCT key, other, forward, at, copied FROM lineage JOIN doc d USING(doc)
          WHERE key IN (SELECT value FROM json_each(?)) AND {self._where} ORDER BY at, key, other, forward"""
        rows = self._con.execute(query, (packed([bindable(key) for key in keys]),))
        return tuple(
            Lineage(*((str(key), str(other)) if forward else (str(other), str(key))), whole(at), bool(copied))
            for key, other, forward, at, copied in rows
        )

    # --- Others -------------------------------------------------------------------------------------------------------

    @_repaired
    def newest(
        self, narrowing: Narrowing, *, limit: int, after: tuple[int, str] | None = None
    ) -> tuple[tuple[IndexedRecord, ...], int]:
        """The newest records, and how many there are in all."""
        where = f"{self._where}{_narrowed(narrowing)}"
        total = whole(self._con.execute(f"SELECT count(*) FROM doc d WHERE {where}").get)
        begun = " AND d.occurred_at <= ? AND (d.occurred_at < ? OR d.id > ?)" if after else ""
        query = f"SELECT {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES} WHERE {where}{begun}{_NEWEST}"
        bound = ((after[0], after[0], bindable(after[1])) if after else ()) + (limit,)
        return tuple(candidate(row, self._unreachable) for row in self._con.execute(query, bound)), total

    @_repaired
    def get(self, ids: Collection[str]) -> dict[str, IndexedRecord]:
        """The visible ones of these records."""
        query = f"""SELECT {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES}
          WHERE d.id IN (SELECT value FROM json_each(?)) AND {self._where} ORDER BY d.id"""
        found = [candidate(row, self._unreachable) for row in self._con.execute(query, (packed(list(ids)),))]
        return {record.id: record for record in found}

    @_repaired
    def by_source(self, uris: Collection[str]) -> tuple[IndexedRecord, ...]:
        """Visible records that cite any of these sources, newest first."""
        query = f"""SELECT {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES} WHERE {self._where} AND d.doc IN
          (SELECT doc FROM source WHERE uri IN (SELECT value FROM json_each(?))){_NEWEST}"""
        rows = self._con.execute(query, (packed([bindable(uri) for uri in uris]), -1))
        return tuple(candidate(row, self._unreachable) for row in rows)

    @_repaired
    def linking(self, targets: Collection[str]) -> tuple[tuple[str, Relation, IndexedRecord], ...]:
        """(target, relation, record) of visible records with a link to any of the targets, newest first."""
        query = f"""SELECT l.target, l.relation, {CANDIDATE_COLUMNS} FROM {CANDIDATE_TABLES}
          JOIN link l USING(doc) WHERE l.target IN (SELECT value FROM json_each(?)) AND {self._where}{_NEWEST}"""
        rows = self._con.execute(query, (packed([bindable(target) for target in targets]), -1))
        return tuple((str(row[0]), Relation(str(row[1])), candidate(row[2:], self._unreachable)) for row in rows)


def _narrowed(narrowing: Narrowing) -> str:
    """The narrowing as SQL; its values come from closed vocabularies."""
    sql = ""
    if narrowing.kinds:
        sql += " AND d.kind IN ({})".format(",".join(f"'{kind.value}'" for kind in sorted(narrowing.kinds)))
    if narrowing.categories:
        sql += " AND d.category IN ({})".format(",".join(str(int(item)) for item in sorted(narrowing.categories)))
    return sql
