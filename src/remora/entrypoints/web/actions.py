"""What a person does to an item: forget and undo, pin, bury, retract, correct, promote. Each is one posted form."""

import re
from collections.abc import Callable
from typing import Any

from starlette.responses import RedirectResponse, Response

from remora.core.errors import InvalidInput, NotFound
from remora.core.records.model import is_record_id
from remora.core.records.revision import Correction, Revise, correction, promotion, reactivation, retraction
from remora.core.sessions import SessionRef
from remora.entrypoints.web.drawer import item_values
from remora.entrypoints.web.listing import query_of
from remora.entrypoints.web.visit import HEADERS, Visit
from remora.usecases.begin_forgetting import begin_forgetting
from remora.usecases.close_fact import close_fact
from remora.usecases.correct_fact import CorrectFactRequest, correct_fact
from remora.usecases.emphasise_item import EmphasiseRequest, emphasise_item
from remora.usecases.follow_forgetting import Standing, follow_forgetting
from remora.usecases.list_forgettings import list_forgettings
from remora.usecases.promote_facts import PromoteFactsRequest, promote_facts
from remora.usecases.revise_record import revise_record
from remora.usecases.show_fact import show_fact
from remora.usecases.undo_forgetting import undo_forgetting

_ID = re.compile(r"fgt_[0-9a-f]{24}")
Act = Callable[[Visit, str], Response]


def act(visit: Visit) -> Response:
    """Do what the address names to the item that it names."""
    verb, item = visit.request.path_params["verb"], visit.request.path_params["item"]
    if verb not in ACTS:
        raise NotFound("nothing is at this path")
    return ACTS[verb](visit, item)


def _forget(visit: Visit, item: str) -> Response:
    begun = begin_forgetting(visit.ports, visit.grant, item)
    waiting = next((row for row in list_forgettings(visit.ports, visit.grant)
                    if row.forgetting.id == begun.forgetting.id), None)  # fmt: skip
    if not visit.fragment:
        return _back(visit)
    return visit.part("parts/forgotten.html", item_id=item, row=waiting, state="waiting")


def show_forgetting(visit: Visit) -> Response:
    """How long a forget can still be undone; when it cannot, that it is erased, and what keeps copies."""
    forgetting, target = visit.request.path_params["forgetting"], visit.asked("item")
    found = follow_forgetting(visit.ports, visit.grant, forgetting, target)
    if found.standing is Standing.WAITING:
        return visit.part("parts/countdown.html", forgetting=forgetting, target=target, left=found.seconds_left)
    template = "parts/erased.html" if found.standing is Standing.ERASED else "parts/undone.html"
    response = visit.part(template, forgetting_id=forgetting, item_id=target)
    response.headers["hx-retarget"] = f"#{forgetting}" if _ID.fullmatch(forgetting) else "#toasts"
    response.headers["hx-reswap"] = "outerHTML"
    return response


def undo(visit: Visit) -> Response:
    """Bring back what waits to be forgotten."""
    forgetting = visit.request.path_params["forgetting"]
    item = undo_forgetting(visit.ports, visit.grant, forgetting)
    if not visit.fragment:
        return _back(visit)
    response = visit.part("parts/undone.html", forgetting_id=forgetting, item_id=item)
    response.headers["hx-trigger"] = "list-changed"
    return response


def _emphasise(word: str) -> Act:
    def run(visit: Visit, item: str) -> Response:
        emphasise_item(visit.ports, visit.grant, EmphasiseRequest(item=item, emphasis=word))
        told = {"pin": "Pinned: first among what matches, in every recall here.",
                "bury": "Buried: last among what matches.", "": "Neither pinned nor buried any more."}  # fmt: skip
        return _done(visit, item, told[word])

    return run


def _retract(visit: Visit, item: str) -> Response:
    if is_record_id(item):
        done = revise_record(visit.ports, visit.grant, item, retraction(visit.asked("reason")))
        return _done(visit, done.record.id, "Retracted. What it had superseded stands again.")
    close_fact(visit.ports, visit.grant, item)
    return _done(visit, item, "Retracted: it holds no longer, and its history stays.")


def _correct(visit: Visit, item: str) -> Response:
    if is_record_id(item):
        return _revised(visit, item, correction(_correction(visit)), "Corrected: a new record takes its place.")
    saved = correct_fact(visit.ports, visit.grant, CorrectFactRequest(fact=item, object=visit.asked("object")))
    return _done(visit, saved, "Corrected: the former value is closed, its history stays.")


def _correction(visit: Visit) -> Correction:
    """What the form says differently; the record's own words are sent along and change nothing."""
    raw = visit.asked("confidence")
    try:
        confidence = float(raw) if raw else None
    except ValueError:
        raise InvalidInput("confidence", f"{raw[:40]!r} is no number", allowed="0 to 1") from None
    return Correction(
        title=visit.asked("title") or None, summary=_whole(visit.asked("summary")), confidence=confidence,
        verification_status=visit.asked("verification") or None, source_uri=visit.asked("source_uri").strip() or None,
    )  # fmt: skip


def _whole(text: str) -> str | None:
    """Forms send line ends as CRLF; records keep newlines."""
    return text.replace("\r\n", "\n") if text else None


def _promote(visit: Visit, item: str) -> Response:
    if is_record_id(item):
        revise = promotion(visit.asked("audience") or "repository", visit.asked("workspace"))
        return _revised(visit, item, revise, "Promoted: a wider audience sees it now.")
    chat = show_fact(visit.ports, visit.grant, item).session
    if chat is None:
        raise InvalidInput("item", "belongs to the repository already", allowed="a fact of a chat of yours")
    ref = SessionRef(client=chat.client, session_id=chat.session_id)
    done = promote_facts(visit.ports, visit.grant, PromoteFactsRequest(session=ref, facts=(item,)))
    return _done(visit, done.promoted[item][1], "Promoted: everyone who reads this repository sees it now.")


def _reactivate(visit: Visit, item: str) -> Response:
    return _revised(visit, item, reactivation(), "Back: a new record, derived from the hidden one, stands.")


def _revised(visit: Visit, item: str, revise: Revise, told: str) -> Response:
    return _done(visit, revise_record(visit.ports, visit.grant, item, revise).record.id, told)


def _done(visit: Visit, item: str, told: str) -> Response:
    """The drawer of what stands now, a notice, and a list that looks again."""
    if not visit.fragment:
        return _back(visit, item)
    values: dict[str, Any] = {
        "item": item_values(visit, item),
        "query": query_of(visit),
        "asked": {"q": visit.asked("q")},
    }
    response = visit.part("parts/done.html", "list", told=told, **values)
    response.headers["hx-trigger"] = "list-changed"
    response.headers["hx-push-url"] = f"{visit.base}/items/{item}" + (f"?{values['query']}" if values["query"] else "")
    return response


def _back(visit: Visit, item: str = "") -> Response:
    query = query_of(visit)
    path = f"{visit.base}/items/{item}" if item else visit.base
    return RedirectResponse(path + (f"?{query}" if query else ""), 303, headers=HEADERS)


ACTS: dict[str, Act] = {
    "forget": _forget,
    "pin": _emphasise("pin"),
    "bury": _emphasise("bury"),
    "release": _emphasise(""),
    "retract": _retract,
    "correct": _correct,
    "promote": _promote,
    "reactivate": _reactivate,
}
