"""Vendor errors translated at the edge; nothing of the driver leaves this folder."""

from neo4j import exceptions as vendor

from remora.adapters.neo4j.address import Address
from remora.core.errors import Denied, InvalidInput, LimitReached, RemoraError, Unavailable

BUSY_ADVICE = "another process holds the repository; try again"
SERVER_ADVICE = "check that the server runs and can be reached, then try again; `remora doctor` tells more"
LOGIN_ADVICE = "set REMORA_STORE_USER and REMORA_STORE_PASSWORD, or REMORA_STORE_PASSWORD_FILE (mode 0600)"
_FULL = ("OutOfMemory", "MemoryPoolOutOfMemory", "TransactionOutOfMemory")


def translate(error: vendor.DriverError | vendor.Neo4jError, address: Address) -> RemoraError:
    """The error of our tree that says what happened at the server; no query text and no stored text is in it."""
    if isinstance(error, vendor.Neo4jError):
        return _of_server(error, address)
    if isinstance(error, vendor.ConfigurationError):
        return InvalidInput("store", f"{address}: {error}")
    return Unavailable(f"the server {address} does not answer", advice=SERVER_ADVICE)


def _of_server(error: vendor.Neo4jError, address: Address) -> RemoraError:
    code = error.code or "unknown"
    name = code.rpartition(".")[2]
    if isinstance(error, vendor.AuthError) and name != "Forbidden":
        return Denied(f"the server {address} refuses the login ({name})", advice=LOGIN_ADVICE)
    if isinstance(error, vendor.Forbidden):
        advice = "grant the user reading, writing and schema rights on the database"
        return Denied(f"the server {address} does not permit this ({name})", advice=advice)
    if name == "DatabaseNotFound":
        return InvalidInput("store", f"the server {address} has no such database")
    if name in {
        "LockClientStopped",
        "TransactionTimedOut",
        "TransactionTimedOutClientConfiguration",
        "DeadlockDetected",
    }:
        return Unavailable(f"the server {address} is busy ({name})", advice=BUSY_ADVICE)
    if name.startswith(_FULL):
        return LimitReached(f"the server {address} has no memory for this ({name})")
    return Unavailable(f"the server {address} failed ({code})", advice=SERVER_ADVICE)


def may_pass(error: vendor.DriverError | vendor.Neo4jError) -> bool:
    """Whether trying again can help. A commit whose acknowledgement was lost counts: writes know their former runs."""
    if isinstance(error, vendor.Neo4jError):
        return error.is_retryable()
    return not isinstance(error, vendor.ConfigurationError)
