"""Words of like meaning in talk about software, and words that a question is phrased with rather than about."""

from typing import Final

from remora.core.text import tokens

_PHRASING: Final = """
please tell know remember remind recall again currently current now today actually exactly anything everything something
someone kind sort thing things stuff way info information detail details give show list find explain describe mean
means help get got make makes let said say already ever still always one ones many much lot lots named called regarding
concerning there here yet
"""
_FILLERS: Final = frozenset(token for word in _PHRASING.split() for token in tokens(word))

# One meaning per line. A word may stand in several lines; lines are short so that meanings do not run into each other.
_MEANINGS: Final = """
use utilise utilize employ rely depend need require consume leverage
depend require rely
own owner maintain maintainer responsible charge belong
author write written wrote creator create
prefer like favour favor favourite favorite preference love
dislike hate avoid
run host deploy deployment live hosted execute
test testing tests pytest
store save persist keep stored storage
datastore database db storage
database postgres postgresql mysql mariadb sqlite mongodb dynamodb cassandra oracle
cache redis memcached caching
queue broker kafka rabbitmq sqs nats message messaging
call invoke request
contain include hold comprise consist
written language programming implemented
implement implementation build built
locate located place reside path where
start begin launch boot
stop end halt
break broken fail failure crash error
fix repair resolve solve
cause reason why because
replace supersede substitute succeed successor
remove delete drop
forbid ban prohibit disallow never
allow permit
connect link talk communicate
send emit publish produce
receive consume subscribe listen
port listen
configure configuration config setting settings option
version release
license licence licensed
documentation docs document doc readme
auth authentication authenticate login signin
authorization authorisation permission access
team group squad
lead leader head manage manager boss
work employ job
repository repo codebase
endpoint route url api
frontend ui client
backend server
monitor observe observability metric
log logging logs
schedule cron timer periodic nightly
secret credential password token key
encrypt encryption
format formatter formatting style
lint linter linting
dependency library package
framework library
ci pipeline workflow
container docker image
orchestrate kubernetes k8s
limit maximum max cap
minimum min least
timeout deadline
retry retries
branch trunk main
review approve reviewer approver
language speak
city live lives location located based
""".strip()


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for line in _MEANINGS.splitlines():
        group = list(dict.fromkeys(token for word in line.split() for token in tokens(word)))
        for token in group:
            table.setdefault(token, {}).update(dict.fromkeys(other for other in group if other != token))
    return {token: tuple(others) for token, others in table.items()}


_RELATED: Final = _table()


def related(term: str) -> tuple[str, ...]:
    """Index tokens of like meaning."""
    return _RELATED.get(term, ())


def is_filler(term: str) -> bool:
    """Whether an index token only phrases a question."""
    return term in _FILLERS
