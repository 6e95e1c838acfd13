"""A small check set for recall over facts, written by hand for this project: what is known, and what people ask."""

FACTS = """
Billing USES Postgres
Billing OWNED_BY Payments Team
Billing DEPENDS_ON Ledger
Billing EXPOSES /v2/invoices
Billing DEPLOYED_ON eu-west cluster
Ledger STORES_IN Cassandra
Ledger OWNED_BY Core Banking
Ledger WRITTEN_IN Rust
Checkout CALLS Billing
Checkout USES Redis
Checkout WRITTEN_IN TypeScript
Checkout TESTED_BY Playwright
Search USES Elasticsearch
Search INDEXED_BY nightly reindex job
Search OWNED_BY Discovery Squad
nightly reindex job RUNS_AT 02:30
AuthService ISSUES JWT tokens
AuthService STORES_SESSIONS_IN Redis
AuthService OWNED_BY Platform Team
JWT tokens EXPIRE_AFTER 15 minutes
Redis RUNS_ON cache-01
Postgres RUNS_ON db-primary
Postgres VERSION 15.4
Cassandra RUNS_ON ring-a
db-primary LOCATED_IN Frankfurt
cache-01 LOCATED_IN Dublin
Payments Team LED_BY Maria Lopez
Platform Team LED_BY Chen Wei
Discovery Squad LED_BY Oskar Lind
Core Banking LED_BY Ines Duarte
Maria Lopez WORKS_FROM Lisbon
Oskar Lind WORKS_FROM Stockholm
User PREFERS tabs over spaces
User PREFERS dark mode
User LIVES_IN Hamburg
User DISLIKES mocking in tests
notification worker CONSUMES order_events topic
Checkout PUBLISHES order_events topic
notification worker SENDS_THROUGH SendGrid
order_events topic RETAINED_FOR 7 days
api gateway RATE_LIMITS 100 requests per second
api gateway ROUTES_TO AuthService
api gateway IMPLEMENTED_WITH Envoy
frontend BUILT_WITH React
frontend BUNDLED_BY Vite
mobile app WRITTEN_IN Kotlin
mobile app RELEASED_EVERY two weeks
main branch PROTECTED_BY required reviews
release process REQUIRES signed tags
CI RUNS_ON GitHub Actions
CI FAILS_WHEN coverage below 80 percent
logging library IS structlog
date handling FORBIDS naive datetimes
database migrations MANAGED_BY Alembic
feature flags STORED_IN LaunchDarkly
secrets STORED_IN Vault
legacy importer REPLACED_BY ingest pipeline
ingest pipeline PARSES parquet files
ReportGenerator WRITES_TO S3 bucket reports-prod
S3 bucket reports-prod ENCRYPTED_WITH KMS key
incident 482 CAUSED_BY connection pool exhaustion
connection pool exhaustion FIXED_BY pgbouncer
max_pool_size SET_TO 40
HttpClient TIMEOUT 30 seconds
HttpClient RETRIES 3 times
docs site HOSTED_ON Netlify
license IS Apache-2.0
"""

ALIASES = """
Postgres SAME_AS pg
AuthService SAME_AS identity provider
Elasticsearch SAME_AS ES cluster
Maria Lopez SAME_AS mlopez
notification worker SAME_AS notifier
"""

TYPES = {
    "Postgres": "database", "Cassandra": "database", "Redis": "cache", "Billing": "service", "Ledger": "service",
    "Checkout": "service", "Search": "service", "AuthService": "service", "Maria Lopez": "person",
    "Chen Wei": "person", "Payments Team": "team", "Core Banking": "team", "Platform Team": "team",
    "Discovery Squad": "team", "db-primary": "host", "cache-01": "host",
}  # fmt: skip

ASKED = {
    "exact": """
what does Billing use = Billing USES Postgres
who owns Ledger = Ledger OWNED_BY Core Banking
Checkout calls Billing = Checkout CALLS Billing
what is HttpClient timeout = HttpClient TIMEOUT 30 seconds
where is db-primary located = db-primary LOCATED_IN Frankfurt
AuthService issues = AuthService ISSUES JWT tokens
what is the license = license IS Apache-2.0
who leads Platform Team = Platform Team LED_BY Chen Wei
max_pool_size = max_pool_size SET_TO 40
what did incident 482 cause = incident 482 CAUSED_BY connection pool exhaustion
/v2/invoices = Billing EXPOSES /v2/invoices
""",
    "pieces": """
auth service owner = AuthService OWNED_BY Platform Team
report generator bucket = ReportGenerator WRITES_TO S3 bucket reports-prod
pool size = max_pool_size SET_TO 40
http client retries = HttpClient RETRIES 3 times
reindex job time = nightly reindex job RUNS_AT 02:30
order events retention = order_events topic RETAINED_FOR 7 days
gateway rate limits = api gateway RATE_LIMITS 100 requests per second
db primary = db-primary LOCATED_IN Frankfurt
coverage 80 = CI FAILS_WHEN coverage below 80 percent
signed tags = release process REQUIRES signed tags
naive datetimes = date handling FORBIDS naive datetimes
""",
    "paraphrase": """
which datastore backs Ledger = Ledger STORES_IN Cassandra
who is responsible for Search = Search OWNED_BY Discovery Squad
what programming language is Ledger in = Ledger WRITTEN_IN Rust
what does Checkout rely on = Checkout USES Redis
where does the user live = User LIVES_IN Hamburg
who manages the Payments Team = Payments Team LED_BY Maria Lopez
which framework was the frontend implemented with = frontend BUILT_WITH React
what superseded the legacy importer = legacy importer REPLACED_BY ingest pipeline
reason for incident 482 = incident 482 CAUSED_BY connection pool exhaustion
where are credentials kept = secrets STORED_IN Vault
how was connection pool exhaustion resolved = connection pool exhaustion FIXED_BY pgbouncer
what does the user hate = User DISLIKES mocking in tests
how long until JWT tokens expire = JWT tokens EXPIRE_AFTER 15 minutes
what tool handles database migrations = database migrations MANAGED_BY Alembic
who is the boss of Core Banking = Core Banking LED_BY Ines Duarte
""",
    "typo": """
wat does Biling use = Billing USES Postgres
who owns Leger = Ledger OWNED_BY Core Banking
Elasticsaerch = Search USES Elasticsearch
Playwrigth tests = Checkout TESTED_BY Playwright
Casandra host = Cassandra RUNS_ON ring-a
notificaton worker = notification worker SENDS_THROUGH SendGrid
LaunchDarkley flags = feature flags STORED_IN LaunchDarkly
api gatway envoy = api gateway IMPLEMENTED_WITH Envoy
pgbuncer = connection pool exhaustion FIXED_BY pgbouncer
Kotln mobile app = mobile app WRITTEN_IN Kotlin
""",
    "prefix": """
elast = Search USES Elasticsearch
cass = Ledger STORES_IN Cassandra
playw = Checkout TESTED_BY Playwright
notif = notification worker SENDS_THROUGH SendGrid
struct = logging library IS structlog
invoi = Billing EXPOSES /v2/invoices
launchd = feature flags STORED_IN LaunchDarkly
alem = database migrations MANAGED_BY Alembic
""",
    "alias": """
where does pg run = Postgres RUNS_ON db-primary
identity provider issues = AuthService ISSUES JWT tokens
who owns the identity provider = AuthService OWNED_BY Platform Team
what uses the ES cluster = Search USES Elasticsearch
mlopez works from = Maria Lopez WORKS_FROM Lisbon
what does the notifier consume = notification worker CONSUMES order_events topic
pg version = Postgres VERSION 15.4
where do I live = User LIVES_IN Hamburg
what do I prefer = User PREFERS dark mode
""",
    "two-hop": """
where is the host of Postgres located = db-primary LOCATED_IN Frankfurt
who leads the team that owns Billing = Payments Team LED_BY Maria Lopez
where does the lead of the Payments Team work from = Maria Lopez WORKS_FROM Lisbon
which host does the cache of Checkout run on = Redis RUNS_ON cache-01
who leads the owner of Search = Discovery Squad LED_BY Oskar Lind
what fixed the cause of incident 482 = connection pool exhaustion FIXED_BY pgbouncer
when does the job that indexes Search run = nightly reindex job RUNS_AT 02:30
what consumes the topic that Checkout publishes = notification worker CONSUMES order_events topic
where does the database of Ledger run = Cassandra RUNS_ON ring-a
""",
}

UNANSWERABLE = """
who is the chief financial officer
what is the wifi password of the office
how many employees does the company have
which GPU does the training job use
what is the capital of France
when is the next board meeting
how do I configure Terraform state locking
what colour is the mascot
does the scheduler support daylight saving
where is the kubernetes dashboard
what is the budget for marketing
how tall is the Eiffel tower
who won the football match yesterday
which shade of blue does the logo have
what does the chatbot cost per month
explain quantum entanglement
how do I bake sourdough bread
is there a parking space for visitors
which port does Billing listen to
what is the birthday of Chen Wei
does Ledger support multi-currency rounding
who designed the Checkout button icons
how large is the Search heap
what nickname does Maria Lopez have
"""

SMALL_TALK = """
hi
hello there
thanks!
thank you so much
ok great
sounds good
good morning
👍
lol
danke schön
merci beaucoup
谢谢
ありがとう
спасибо
안녕하세요
gracias
شكرا
how are you?
bye
cool, thanks
"""


def lines(block: str) -> list[str]:
    """The lines of a block that hold something."""
    return [line.strip() for line in block.strip().splitlines() if line.strip()]


def triple(line: str) -> tuple[str, str, str]:
    """Split a fact line at its predicate, the first word in capitals that is not its first word."""
    words = line.split()
    at = next(
        at
        for at, word in enumerate(words[1:], 1)
        if word.isupper() and word.replace("_", "").isalpha() and len(word) > 1
    )
    return " ".join(words[:at]), words[at], " ".join(words[at + 1 :])


def questions() -> dict[str, list[tuple[str, str]]]:
    """Class -> (question, the fact that answers it)."""
    split = {name: [line.split(" = ") for line in lines(block)] for name, block in ASKED.items()}
    return {name: [(query, fact) for query, fact in pairs] for name, pairs in split.items()}
