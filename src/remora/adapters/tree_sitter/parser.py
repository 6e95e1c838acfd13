"""The `Parser` port: which language a file is, its facts (in this process or in a pool), and the spans of a text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from remora.adapters.tree_sitter.language import by_name, by_suffix, manifests, pairs
from remora.adapters.tree_sitter.manifests import MANIFEST, VERSION
from remora.adapters.tree_sitter.pool import Job, facts_of, parse_many
from remora.core import policy
from remora.core.codegraph.packed import decode
from remora.core.codegraph.rules import Rules
from remora.core.codegraph.snapshot import Span, node_id
from remora.core.codegraph.symbols import declarations


class TreeSitterParser:
    """Parses by the language pairs found in the folder."""

    def language(self, path: str) -> str:
        """Name of a file's language by its ending; "" when we know none."""
        name = path[path.rfind("/") + 1 :]
        if any(fnmatchcase(name, form) for form in manifests()):
            return MANIFEST
        if "." not in name:
            return by_name().get(name, "")
        return by_suffix().get(name[name.rfind(".") :].lower(), "")

    def rules(self, language: str) -> Rules:
        """What the linker must know of a language."""
        return Rules(MANIFEST, module_style="none") if language == MANIFEST else pairs()[language].rules

    def versions(self) -> Mapping[str, str]:
        """Language -> version of its pair; facts of another version are parsed again."""
        return {name: pair.version for name, pair in pairs().items()} | {MANIFEST: VERSION}

    def parse(self, jobs: Iterable[Job]) -> Iterator[tuple[int, bytes]]:
        """Encoded facts of each (number, language, text), in any order; a file that cannot be parsed says why."""
        return parse_many(jobs)

    def spans(self, path: str, text: bytes) -> Sequence[Span]:
        """Named declarations of one text, in order of position; empty for an unknown language."""
        language = self.language(path)
        if not language or language == MANIFEST:
            return ()
        if len(text) > policy.PARSE_IN_PROCESS_BYTES:
            ((_, data),) = parse_many([(0, language, text)])
            facts = decode(data)
        else:
            facts = facts_of(language, text, declarations_only=True)
        rows = declarations(facts, self.rules(language), path)
        named = [row for row in rows if row.qualified and not row.name.startswith("<")]
        return [Span(node_id(language, path, row.qualified), row.name, row.line, row.end_line) for row in named]
