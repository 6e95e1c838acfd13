"""Words of like meaning in talk about software, irregular forms, and words that merely phrase a question."""

from typing import Final

from remora.core.policy import RESPELLED_MIN_CHARS
from remora.core.recall.typos import mistyped
from remora.core.text import STOP_WORDS, tokens

_PHRASING: Final = """
please tell know remember remind recall again currently current now today actually exactly anything everything something
someone kind sort thing things stuff way info information detail details give show list find explain describe mean
means help get got make makes let said say already ever still always one ones many much lot lots named called regarding
concerning there here yet long often data
"""
_FILLERS: Final = frozenset(_PHRASING.split())

# Generic nouns: what kind of answer is wanted. They say little where no fact names them.
_GENERIC: Final = """
tool service system component app application software project repo repository codebase code program product company
place person people number value amount thing part piece module team file technology tech platform solution engine
provider vendor time date
"""
_LIGHT: Final = frozenset(token for word in _GENERIC.split() for token in tokens(word))
_VAGUE_VERBS: Final = """
use go come work do handle support put set take provide happen deal must should supposed
"""
_VAGUE: Final = frozenset(token for word in _VAGUE_VERBS.split() for token in tokens(word))

# Forms of one word that a stemmer does not bring together.
_IRREGULAR: Final = """
lead led
write wrote written
build built
keep kept
hold held
send sent
run ran
choose chose chosen
break broke broken
make made
buy bought
bring brought
find found
lose lost
win won
speak spoke spoken
drive drove driven
give gave given
take took taken
grow grew grown
throw threw thrown
see saw seen
begin began begun
feed fed
bind bound
meet met
leave left
catch caught
sell sold
tell told
hide hid hidden
forbid forbade forbidden
freeze froze frozen
spend spent
mean meant
deal dealt
draw drew drawn
teach taught
think thought
pay paid
say said
shut closed
child children
person people
index indices indexes
query queries
policy policies
repository repositories
dependency dependencies
library libraries
"""

# One meaning per line. A word may stand in several lines; lines are short so that meanings do not run into each other.
_MEANINGS: Final = """
use utilise utilize employ rely depend need require consume leverage run
depend require rely
own owner maintain maintainer responsible charge belong accountable steward
author write written wrote creator create
prefer like favour favor favourite favorite preference love
dislike hate avoid
run host deploy deployment live hosted execute
test testing tests pytest
store save persist keep storage hold
datastore database db storage
database postgres postgresql mysql mariadb sqlite mongodb dynamodb cassandra oracle
cache redis memcached caching
queue broker kafka rabbitmq sqs nats message messaging
call invoke request
contain include hold comprise consist
written language programming implement code
implement implementation build
locate located place reside path where
start begin launch boot commence
expire expiry lifetime ttl valid validity
retain retention kept keep
stop end halt
break fail failure crash error
fix repair resolve solve
cause reason why because root trigger
raise throw
exception error
serialize serialise encode encoding marshal format
due deadline
approve approval signoff
assign assignee
compile build bundle
parse read
replace supersede substitute succeed successor deprecate
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
lead leader head manage manager boss supervise
manage handle administer
back support power
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


def _by_beginning(*blocks: str) -> dict[str, tuple[str, ...]]:
    """The words of the tables by their first letter."""
    words: dict[str, dict[str, None]] = {}
    for word in " ".join(blocks).split():
        words.setdefault(word[0], {}).setdefault(word)
    return {letter: tuple(found) for letter, found in words.items()}


def _table(block: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for line in block.strip().splitlines():
        group = list(dict.fromkeys(token for word in line.split() for token in tokens(word)))
        for token in group:
            table.setdefault(token, {}).update(dict.fromkeys(other for other in group if other != token))
    return {token: tuple(others) for token, others in table.items()}


_RELATED: Final = _table(_MEANINGS)
_FORMS: Final = _table(_IRREGULAR)
_KNOWN: Final = _by_beginning(_PHRASING, _GENERIC, _VAGUE_VERBS, _IRREGULAR, _MEANINGS, " ".join(sorted(STOP_WORDS)))


def forms(term: str) -> tuple[str, ...]:
    """Index tokens that are forms of the same word."""
    return _FORMS.get(term, ())


def is_vague(term: str) -> bool:
    """Whether an index token is a verb that says little about what is asked."""
    return term in _VAGUE


def is_generic(term: str) -> bool:
    """Whether an index token only names a kind of answer."""
    return term in _LIGHT


def related(term: str) -> tuple[str, ...]:
    """Index tokens of like meaning, of any form of the word."""
    like = [other for form in (term, *forms(term)) for other in _RELATED.get(form, ())]
    near = dict.fromkeys(form for other in like for form in (other, *forms(other)))
    return tuple(other for other in near if other != term and other not in forms(term))


def is_filler(word: str) -> bool:
    """Whether a word as it is written only phrases a question: `called` does, `calls` may be what is asked."""
    return word in _FILLERS


def respelled(raw: str) -> str:
    """The word of these tables that a long enough word is a typo of, else "". Of several, the first by its letters."""
    known = _KNOWN.get(raw[:1], ())
    if len(raw) < RESPELLED_MIN_CHARS or raw in known:
        return ""
    return min((word for word in known if len(word) >= RESPELLED_MIN_CHARS and mistyped(raw, word)), default="")
