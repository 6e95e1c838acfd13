"""Where a memory comes from: the code anchor shared by all families, and the provenance stamped on every write."""

from dataclasses import dataclass

from remora.core.errors import InvalidInput
from remora.core.scope import Channel, Grant, Trust

_SCHEME = "code:"
_FORM = "code:path#qualified.name@revision"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in the code: `code:path#qualified.name@revision`; the join key of all families.

    `symbol` is "" for a whole file, `revision` is "" when unknown. Paths are repository-relative with `/`.
    """

    path: str
    symbol: str = ""
    revision: str = ""

    @property
    def uri(self) -> str:
        """The anchor as one string; `Anchor.parse` reads it back."""
        return (
            _SCHEME
            + _escape(self.path, "%#@")
            + (f"#{_escape(self.symbol, '%@')}" if self.symbol else "")
            + (f"@{self.revision}" if self.revision else "")
        )

    @classmethod
    def parse(cls, uri: str) -> "Anchor":
        """Read an anchor URI; raise `InvalidInput` on anything else."""
        if not uri.startswith(_SCHEME):
            raise InvalidInput("anchor", f"{uri[:80]!r} is not a code anchor", allowed=_FORM)
        rest, _, revision = uri[len(_SCHEME) :].partition("@")
        path, _, symbol = rest.partition("#")
        if not path:
            raise InvalidInput("anchor", f"{uri[:80]!r} has no path", allowed=_FORM)
        return cls(_unescape(path), _unescape(symbol), revision)


def _escape(text: str, reserved: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in reserved else char for char in text)


def _unescape(text: str) -> str:
    for char in "#@%":  # `%` last, so that an escaped escape stays one
        text = text.replace(f"%{ord(char):02X}", char)
    return text


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who wrote an item, through which door and with what trust; stamped by us, a caller's claim is ignored."""

    principal: str
    channel: Channel
    client: str = ""
    session: str = ""
    model: str = ""
    trust: Trust = Trust.AGENT

    @classmethod
    def of(cls, grant: Grant, *, session: str = "", model: str = "") -> "Provenance":
        """Provenance of a write under this grant; what a model extracted is `DERIVED` at best."""
        trust = min(grant.trust, Trust.DERIVED) if model else grant.trust
        return cls(grant.principal, grant.channel, grant.client, session, model, trust)

    def to_json(self) -> dict[str, str | int]:
        """Compact form for a stored body; empty fields are left out."""
        pairs: dict[str, str | int] = {
            "principal": self.principal,
            "channel": self.channel.value,
            "client": self.client,
            "session": self.session,
            "model": self.model,
            "trust": int(self.trust),
        }
        return {key: value for key, value in pairs.items() if value != ""}

    @classmethod
    def from_json(cls, body: object) -> "Provenance":
        """Read what `to_json` wrote."""
        data = body if isinstance(body, dict) else {}
        return cls(
            principal=str(data.get("principal", "")),
            channel=Channel(data.get("channel", Channel.IMPORT.value)),
            client=str(data.get("client", "")),
            session=str(data.get("session", "")),
            model=str(data.get("model", "")),
            trust=Trust(int(data.get("trust", Trust.EXTERNAL))),
        )
