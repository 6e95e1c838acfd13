"""Every number that decides something, with its reason. Units are in the names."""

# --- Text -------------------------------------------------------------------------------------------------------------
PREFIX_MIN_CHARS = 3
"""Prefixes shorter than three letters match half a vocabulary."""
TOKEN_MAX_CHARS = 64
"""Longer words are hashes or noise; their beginning is indexed and queries are cut alike."""
WORD_MAX_PARTS = 64
"""One written word yields at most this many tokens, so that a 100 KB word costs little."""
QUERY_MAX_TERMS = 128
"""Distinct terms of one query; a longer text is a document, and its first terms name its topic."""
QUERY_MAX_PREFIXES = 32
QUERY_MAX_PHRASES = 8
PHRASE_MAX_TOKENS = 16
QUERY_MAX_SYMBOLS = 32

BATCH_ERRORS_TOLD = 20
"""A message names that many wrong values; whoever made thousands has one mistake, and answers stay small."""

# --- Redaction --------------------------------------------------------------------------------------------------------
REDACTION_HASH_BYTES = 4
"""Enough to see that two placeholders hide the same secret, too little to find it by."""
REDACTION_MAX_PASSES = 3
"""A placeholder can uncover what stood behind a secret; real texts are stable after the first pass."""
REDACTION_REST_MIN_CHARS = 16
"""What a wider rule finds beside a placeholder is taken when it is long enough to be a secret of its own."""
REDACTION_JUDGED_CHARS = 300
"""How much of a long value is looked at to judge it."""
REDACTION_MAX_NESTED = 16
"""Names that stand inside another name's value and are judged as well; bounds the work on hostile text."""
ENTROPY_MIN_CHARS = 20
"""Shorter random words are ids as often as secrets."""
ENTROPY_MAX_CHARS = 128
"""Longer ones without a known shape are data."""
ENTROPY_MIN_BITS = 3.7
"""Per character: random base64 of 20 characters has about 4.1, identifiers about 3.4."""
ENTROPY_MIN_TURNS = 0.3
"""Changes of character class per character: random base64 has about 0.6, camelCase about 0.25."""
ENTROPY_SURE_TURNS = 0.45
"""Above it a word is random even when a few of its letters happen to read like words."""

# --- Facts ------------------------------------------------------------------------------------------------------------
ENTITY_NAME_MAX_CHARS = 120
"""A name, not a sentence; above it the caller is told, never silently cut."""
PREDICATE_MAX_CHARS = 64
ENTITIES_PER_REPOSITORY = 5_000
FACTS_PER_REPOSITORY = 10_000
"""Closed facts included; keeps exact scans cheap and forces forgetting on purpose."""
FACTS_PER_SESSION = 1_000
EXTRACTED_CONFIDENCE_MIN = 0.6
"""Below it a model's triple is wrong more often than right."""
SESSION_LIFETIME_DAYS = 7
"""A chat's private memory ends seven days after registration; reconnecting does not extend it."""
ENTITIES_PER_SESSION = 2_000
"""A fact has two ends, so a session's fact limit binds first."""
ALIASES_PER_ENTITY = 100
"""Far above real use; keeps one entity's stored form small."""
INTERVALS_PER_FACT = 1_000
"""History is never thrown away, so a fact that flips for ever must stop at a clear error."""
TRIPLES_PER_BATCH = 10_000
"""One batch can fill a repository; more than that is never one statement."""
CITATIONS_PER_FACT = 20
CITATION_MAX_CHARS = 500
"""A path, a qualified name and a revision."""
SOURCES_PER_FACT = 64
"""Distinct confirming sources that are told apart; more agreement than that changes no decision."""
IDEMPOTENCY_KEYS_PER_FACT = 8
"""Retries come soon after the first try; the store's own replay table remembers longer."""
IDEMPOTENCY_KEY_MAX_CHARS = 500
"""A UUID or a path; longer ones are content."""
REDACTION_WINDOW_CHARS = 2_000
"""Longest text tried as a name: redaction may shorten a long secret, but a page is no name."""
LIST_LIMIT = 50
"""Default page of a list: fits the reply budget below with its provenance."""
LIST_LIMIT_MAX = 500
REPLY_MAX_CHARS = 20_000
"""Lists stop here and say so; agents' clients refuse replies from about 25 KB."""
SUBGRAPH_LIMIT = 100
SUBGRAPH_LIMIT_MAX = 1_000
SUBGRAPH_ENTITIES_MAX = 100
FACT_COUNT_CAP = 100
"""Facts counted per entity in a search; above it the count reads "100 or more"."""
HANDLES_PER_SESSION = 256
"""Re-registrations of one chat that keep their handle; the first handle never falls out."""

# --- Recall -----------------------------------------------------------------------------------------------------------
BM25_K1 = 1.2
"""Saturation of repeated words: the second mention says little, the tenth nothing."""
BM25_B = 0.5
"""Length normalisation, milder than the usual 0.75: fields are short, and a long record is not a worse one."""
BM25_PREFIX_WEIGHT = 0.5
"""A word that merely begins like the query counts half; below exact, above nothing."""
TYPO_MIN_CHARS = 4
"""Shorter words are a typo away from too many others."""
ENTRY_ENTITIES = 8
"""Entities from which a recall expands."""
FUSION_K = 10
"""Reciprocal rank fusion; the usual 60 flattens the margin between the first ranks."""
RECALL_MAX_CHARS = 6_000
RECALL_MAX_CHARS_CAP = 25_000
"""Above it an answer crowds out the work that it was meant to help."""
RECALL_LIMIT = 8
CITATIONS_SHOWN = 3
"""Per recalled fact; the whole list is a listing away."""
VECTOR_LIMIT = 10
"""Items that the vector leg may add: the seed's three to ten."""
RECALL_LIMIT_MAX = 50
FAMILY_FLOOR = 2
"""Places that each family with hits keeps in a joint answer: a crowd of records must not hide the one fact."""
RECALL_RECORD_COVERAGE = 0.5
"""Likewise for a record: one shared word of a longer question is chance."""
RECALL_SUMMARY_CHARS = 240
"""A record's summary in a recall is a pointer to its source, not a copy of it."""
RECORD_QUERY_CHARS = 20_000
"""What a search over records reads of a pasted text."""
SILENCE_COVERAGE = 0.55
"""Share of a question's rarity that the best node of an encounter must cover, or it stays silent."""
IDENTIFIER_SHARE = 0.75
"""Share of a written identifier that must be matched; less is another identifier."""
SAME_WORD = 0.8
"""Strength from which a word of a name stands for the question's word: itself, its beginning or a typo of it."""
CLAUSES_MAX = 16
"""Clauses of one question that are looked at on their own."""
GROUNDS_COVERED = 0.42
"""Share of one clause's rarity that a fact must cover to be told. Tuned, with those below, on the open set's half."""
GROUNDS_LEAN = 0.29
GROUNDS_EVIDENCE = 1.4
"""Less of a long clause is enough where a fact holds this many rare words of the question."""
GROUNDS_SOME = 0.15
LIKENESS_LEAN = 0.11
"""Beyond the model's floor (as a share of what lies above it): enough where a fact holds some of the words,"""
LIKENESS_ALONE = 0.17
"""and without any of them."""
GROUNDS_DESPITE_UNKNOWN = 0.75
"""A question that names an identifier nobody knows is answered where one clause of it is covered so well."""
GROUNDS_TOLD = 0.13
"""Where the question mentions entities, their facts must cover this much of what it asks about them,"""
GROUNDS_ASIDE = 1.3
"""or names of other entities must hold this many rare words of it."""
KIND_BONUS = 0.05
"""Orders facts that cover the same words."""
PREFIX_STRENGTH = 0.8
"""How far a word that begins like the query's word stands for it."""
TYPO_STRENGTH = 0.8
FORM_STRENGTH = 0.95
"""Another form of the same word."""
VAGUE_WEIGHT = 0.4
"""Of verbs that every fact could carry: use, work, go."""
GENERIC_WEIGHT = 0.3
"""Of a word that names only a kind of answer (tool, service), where no fact holds it."""
GENERIC_HELD_WEIGHT = 0.6
"""The same where some fact does hold it."""
RELATED_STRENGTH = 0.7
"""A word of like meaning; below every form of the word itself."""
TYPE_STRENGTH = 0.9
RESPELLED_MIN_CHARS = 5
"""Ordinary words are corrected from this length on: shorter ones are an edit away from other ordinary words."""
TYPO_LONG_CHARS = 8
"""From this length on two edits are one typo's worth; below it one is."""
TYPO_WORDS = 4
"""Unmatched words of one query that are tried as typos."""
TYPO_CANDIDATES = 300
"""Entities looked at for mistyped words: those that share a beginning or an end."""
ENTITIES_RANKED = 60
"""Entities that get a full score, best covered first; an answer shows at most 50."""
ENTITY_CANDIDATES = 200
FACT_CANDIDATES = 80
"""Of the lexical leg of facts. Facts of matched entities also come by expansion, so these may be fewer."""
RELATED_TERMS_MAX = 40
"""Terms of like meaning that one query adds."""
JOIN_WEIGHT = 0.5
"""What a neighbouring fact's words count for a fact that lacks them: the way through a shared entity."""
NAMED_BONUS = 0.1
"""For facts of an entity whose whole name was asked, before those of longer names that merely hold the words."""
PHRASE_BONUS = 0.1
WHOLE_COVERAGE = 0.9
"""Below it the best fact leaves something open, and recall looks one fact further from the best ones."""
FURTHER_FROM = 4
FURTHER_NAMED = 2
"""Wholly named entities whose own best facts lead further, too."""
FURTHER_LIMIT = 96
RELATIVE_FLOOR = 0.3
"""Facts far below the best one are noise in an agent's context."""
EXPAND_PER_NODE = 12
"""Most recent facts followed per entity and direction; what was asked by word comes by word."""
EXPAND_LIMIT = 96
VECTOR_BONUS = 0.3
"""The most that similarity of meaning adds to a fact's score."""
CANDIDATE_LIMIT = 400
"""How many items an engine hands to the core's ranking; the cap's order is engine-neutral (rarest term, then id)."""

# --- Embeddings -------------------------------------------------------------------------------------------------------
EMBED_MAX_CHARS = 2_000
"""What of a text is embedded: about twice the tokens below, whatever the language."""
EMBED_MAX_TOKENS = 256
"""The length that MiniLM was made for; what lies beyond would only blur the mean."""
EMBED_BATCH = 32
"""Texts of one call and of one write: a third of a second, so that other writers are not kept waiting."""
EMBED_WITH_WRITE_MAX = 64
"""Statements of a private batch that get their vectors in the same write, about a third of a second."""
INDEX_QUIET_SECONDS = 2.0
"""Saves come in bursts; vectors are made when none came for so long."""
INDEX_CALL_ITEMS = 1_000
INDEX_CALL_MAX = 4_000
"""Items of one call over HTTP, half a deadline's worth; the answer says how many are left."""
INDEX_LEASE_SECONDS = 60
"""A process that died while it made vectors is waited for that long."""
EMBED_RUN_MAX = 20_000
"""Items of one indexing run: every fact and idea of a full repository."""
MINILM_FLOOR = 0.25
"""Cosine that 1.5 of a hundred unrelated pairs reach, and 85 of a hundred paraphrases: `calibrate_floor.py`."""

# --- Store ------------------------------------------------------------------------------------------------------------
BUSY_TIMEOUT_SECONDS = 30
"""One bulk write takes seconds; beyond this something hangs and the caller should know."""
LOCK_POLL_SECONDS = 0.002
"""How often a waiting writer asks again: soon enough to be next, rarely enough to cost no CPU (about 1 %)."""
JSON_DEPTH_MAX = 100
"""Nesting of a stored body: far above any real one, far below what a JSON reader's stack bears."""
STORE_IDLE_CONNECTIONS = 8
"""Enough for the threads of one server that read at the same time; an idle connection holds three files."""
VECTOR_NUMPY_FROM = 1_000
"""Vectors above which importing numpy (about 0.1 s) is cheaper than the plain loop (about 0.06 ms a vector)."""
VECTOR_SCORE_SLACK = 1e-4
"""How far a fast cosine may stray from the exact one: candidates that close to the cut are computed again exactly."""

COPY_BATCH_ITEMS = 4_000
"""Items of one write while a store is copied to another engine: seconds each, well within a transaction's deadline."""
SERVER_CONNECT_SECONDS = 5
"""A server that does not take a connection within this time is not there."""
SERVER_CONNECTIONS = 50
"""Connections of one process to the server engine: more than the threads that the HTTP door runs at once."""
SERVER_RETRY_SECONDS = 0.05
"""First pause before a call to the server is tried again; it doubles, up to a second, until the deadline."""
SERVER_MANAGED_SECONDS = 2
"""How long the driver itself tries a transaction again. Its pauses double without a bound, so ours take over soon."""
SERVER_WATCH_SECONDS = 0.25
"""How often calls are looked at that may wait for a silent server: a deadline is missed by at most this much."""
SERVER_VIEW_SECONDS = 30
"""How long one read may look at the same moment of the server engine; a query deadline is no longer."""
SERVER_GRACE_SECONDS = 90
"""How long a former version is kept for reads that began before it was replaced: the longest read, the longest commit
and as much again."""
SERVER_COLLECT_WRITES = 64
"""Every so many writes former versions are cleared away: rarely enough to cost little, often enough to stay few."""
SERVER_COLLECT_ROWS = 10_000
"""Versions cleared away in one go, which takes well under a second."""
SERVER_BATCH_ROWS = 2_000
"""Rows of one statement: few round trips, and a transaction state that a small heap bears."""
SERVER_POSTING_KEYS = 1_024
"""Items per piece of the text index: a write replaces a piece of 4 KB, a word of 10,000 items is read in ten."""
SERVER_MEMO_IDS = 50_000
"""Ids of one repository that a process keeps by their keys: some MB, for all items that a repository may have."""
SERVER_MEMO_ITEMS = 2_000
"""Items of one repository that a process keeps decoded: a few MB, for what several questions in a row meet."""
SERVER_INDEXED_CHARS = 500
"""Characters of a token that the server's index holds; an entry of both its parts must stay below 8 KB."""

# --- Records ----------------------------------------------------------------------------------------------------------
RECORD_KEY_MAX_CHARS = 1_024
"""Longest path git allows in practice, plus a digest and a prefix."""
RECORD_TITLE_MAX_CHARS = 500
"""A line; a longer commit subject is capped by its capture, with a mark."""
RECORD_SUMMARY_MAX_CHARS = 16_000
"""A record points to its source and does not replace it."""
RECORD_URI_MAX_CHARS = 4_096
RECORD_SOURCES_MAX = 100
RECORD_LIST_MAX = 10_000
"""Paths, anchors or links of one record; a larger commit is capped by its capture, with a count."""
RECORD_TIME_MAX_SECONDS = 253_402_300_799
"""The last second of year 9999; anything beyond is a value in another unit."""
RAW_ANCHOR_CONFIDENCE = 0.5
"""A name that does not resolve to exactly one symbol."""
RECORD_FILE_MAX_BYTES = 16_000_000
"""No record we write comes near; a larger file is not read into memory."""
RECORD_BULK_MIN = 64
"""From this many records on, one segment is cheaper to write, list and merge than loose files."""
EXCHANGE_RECORDS_MAX = 1_000
EXCHANGE_BYTES_MAX = 4_000_000
"""Of the records in one request between stores: well below what a door takes, also with every quote escaped."""
EXCHANGE_IDS_PAGE = 5_000
EXCHANGE_ANSWER_MAX_BYTES = 64 << 20
"""A server that answers more than that is not one of ours."""
EXCHANGE_TIMEOUT_SECONDS = 60
RECORD_STORE_BATCH = 1_000
"""Record documents of one transaction: a few hundred milliseconds, so that other writers do not wait for long."""
RECORD_STORE_NEWEST_MAX = 100
"""Records in the list of the newest, which is written and read anew with each append: a few milliseconds."""
RECORD_LISTS_PAGE = 1_000
SEGMENT_RECORDS_MAX = 10_000
"""50,000 commits become a handful of files, and one segment still fits comfortably in memory."""
SEGMENT_BYTES_MAX = 32_000_000
SEGMENT_FILE_MAX_BYTES = 256_000_000
"""Room for one largest record past the byte limit, and for segments of other makers."""
STAMP_SETTLED_SECONDS = 0.05
"""File times tick every 10 ms at most; a file younger than this may change again under the same stamp."""
STAMP_COARSE_SETTLED_SECONDS = 2.1
"""The same for file systems that keep whole (or even) seconds."""
RELIST_ATTEMPTS = 5
"""Compactions that can overtake one reader before it gives up; each takes longer than a look."""
TEMPORARY_MAX_AGE_SECONDS = 3_600
"""An unpublished file this old was left by a killed process."""
RECORD_INDEXED_NAMES_MAX = 100
"""Paths and symbols of one record that count as words; all of them are anchors."""
RECORD_CANDIDATES = 300
"""Records handed to exact ranking, by the rarity of the words they share with the query; a page shows 20."""
RECORD_HITS = 20
"""Default page of a search."""
RECORD_HITS_MAX = 500
RECORD_NAMED_ANCHORS = 50
"""Newest records of one identifier or path named in a text that join the candidates."""
RECORD_NAMED_SUBJECTS = 8
"""Identifiers and paths of one text that are looked up as anchors."""
EVIDENCE_ROWS = 6
"""Rows of an evidence block: it accompanies an answer and must not bury it."""
EVIDENCE_ROWS_CONCISE = 4
EVIDENCE_SUBJECTS_MAX = 500
"""Files of one change set that are looked up; more are counted and said."""
EVIDENCE_LOOKED = 100
"""Newest records of one category that are looked at for supersession."""
EVIDENCE_TITLE_CHARS = 160
EVIDENCE_SUMMARY_CHARS = 280
EVIDENCE_URI_CHARS = 200
HISTORY_LINKS_MAX = 20
"""Linked records shown beside a history."""
RECORD_ANCHOR_WEIGHT = 1.0
"""An identifier that a record is anchored to is worth one more rare word."""
RECORD_DOUBT_WEIGHT = 0.2
"""A record without any confidence keeps four fifths of its score: doubt orders equals, it hides nothing."""
RECORD_TOPIC_COVERAGE = 0.5
"""A record is about a topic when it covers half of the topic's rarity; one shared word of many is chance."""
RECORD_NAME_COVERAGE = 0.99
"""A path or identifier is spoken of only where all its parts are: `src/auth.py` is not every mention of auth."""
SUBJECT_MAX_CHARS = 4_096
"""The longest path; anything longer is a text and no subject."""
SUBJECT_KEYS_MAX = 500
"""Paths and names that one subject may stand for, with all it was called before and after."""
HOOK_JOURNAL_READ_BYTES = 512_000
"""The end of a hook's log that is looked at: both parts of a rotated one."""
BUNDLE_FILE_MAX_BYTES = 512_000_000
"""The most records a bundle may hold, at five times the size of an ordinary commit's."""
RECORD_POSTINGS_BUDGET = 15_000
"""Places in which the rarest words of a query are looked up: about 5 ms, and more common words narrow nothing."""
RECORD_PREFIX_ENOUGH = 50
"""A word that this many records hold exactly is not looked for as a prefix as well."""
RECORD_PREFIX_EXPANSIONS = 200
"""Words that one prefix may stand for; shortest first, so that plurals come before compounds."""

# --- Doors ------------------------------------------------------------------------------------------------------------
RUN_TOKEN_BYTES = 12
"""Names one run of a stdio server as a session when its runtime gives no id of its own."""
TRIPLES_PER_CALL_MAX = 1_000
NAME_INPUT_MAX_CHARS = 2_000
"""Above the name limit, so that a long name is answered by the rule about names and not by a schema."""
QUERY_INPUT_MAX_CHARS = 200_000
"""A pasted log is a legitimate question; the query parser bounds what it takes from it."""
CALL_DEADLINE_SECONDS = 30
"""A tool call that takes longer has lost its caller."""
HTTP_BODY_MAX_BYTES = 9 << 20
"""A hook event may be 8 MiB; everything else is far smaller."""
HTTP_RATE_PER_SECOND = 200
"""Per key. A busy agent makes a few calls a second; this stops loops, not people."""
HTTP_BURST = 1_000
"""A batch import in parallel starts with that many calls at once."""
HTTP_CALLERS_MAX = 10_000
"""Keys whose rate is followed at one time."""
HTTP_DOOR_THREADS = 4
"""Looking at a token is one small read."""
HTTP_HOOK_THREADS = 8
"""Prompts wait for these, so they have threads of their own."""
HTTP_PORT = 8420
DIRECTORY_NAME_MAX_CHARS = 64
"""Of an organisation, a member or a key: they are shown in provenance."""
SERVER_TOKEN_BYTES = 32
KEY_DAYS_MAX = 3_650
KEY_TOUCH_SECONDS = 60
"""The last use of a key is a hint for people; a write at every request would cost more than the request."""
SWEEP_SECONDS = 60
"""Private memory of an ended session is gone that much later at the latest while a server runs."""

# --- The page ---------------------------------------------------------------------------------------------------------
FORGET_UNDO_SECONDS = 30
"""Long enough to see what was hit by mistake, short enough that a request to forget is kept."""
ERASE_LOOK_SECONDS = 5
"""How often a server looks whether anything is due to be erased; one small read."""
FORGETTINGS_MAX = 10_000
"""Forgets that may wait at one time; each lasts seconds."""
EMPHASES_PER_REPOSITORY = 500
"""Pins and buries: who pins everything pins nothing, and every recall reads them."""
BROWSE_LIMIT = 50
"""Rows of one page of the list: two screens, and cheap to draw."""
BROWSE_LOOKED_MAX = 2_000
"""Items that one page looks at when facets leave most of them out; then it says so and goes on when asked."""
BROWSE_MATCHES_MAX = 200
"""Ranked matches per family; whoever needs the two hundred and first asks a narrower question."""
BROWSE_SESSIONS_MAX = 50
"""Open chats of one's own whose private facts a list reads."""
DETAIL_EDGES_MAX = 100
"""Relations, values or versions shown with one item."""
PAGE_SESSION_HOURS = 12
"""A working day; after it one signs in again."""
PAGE_SESSIONS_MAX = 1_000
"""Signed-in browsers at one time; those not heard for longest make room."""
PAGE_LINK_SECONDS = 300
"""A one-time link that nobody opened by then opens nothing."""
PAGE_FORM_MAX_BYTES = 256 << 10
"""A form holds one item's texts."""
GRAPH_NODES = 300
"""Nodes of a drawing that a person can still read."""
GRAPH_NODES_MAX = 5_000
GRAPH_EDGES_PER_NODE = 40
"""Relations followed from one node, so that a hub does not fill the drawing."""
GRAPH_STARTS = 12
"""Parts of a small drawing that are drawn whole around their best connected node; the rest is what is at hand."""
LAYOUT_ROUNDS = 60
"""Of the force layout; more moves nothing that an eye sees."""
LAYOUT_LARGE = 1_000
LAYOUT_ROUNDS_LARGE = 12
"""Above `LAYOUT_LARGE` nodes, where a round costs up to a tenth of a second."""

# --- Capture from git and documents -----------------------------------------------------------------------------------
PATH_MAX_CHARS = 4_096
"""PATH_MAX of the systems that git runs on; a longer name in a tree object cannot be checked out."""
GIT_TIMEOUT_SECONDS = 60
"""For one short git command; a cold network disk answers `rev-parse` in seconds."""
GIT_IDLE_SECONDS = 300
"""For a stream of history: how long git may print nothing. One huge commit with renames takes tens of seconds."""
RENAME_LIMIT = 1_000
"""Git's own default: above this many candidates on both sides a commit's inexact renames are not looked for."""
MISSING_COMMITS_MAX = 100
"""Each missing commit costs one more walk of the history; a repository with more needs `git fsck` first."""
UNREADABLE_COMMITS_MAX = 1_000
"""Each unreadable commit costs one restart of the stream."""
COMMIT_SUBJECT_MAX_CHARS = 300
"""A subject is a line; some histories have whole messages in it."""
COMMIT_BODY_MAX_CHARS = 4_000
"""The 99.9th percentile of bodies in large open histories is below it; a record points to its commit for the rest."""
COMMIT_PATHS_MAX = 5_000
"""Changed files kept of one commit, renames first; imports of whole trees say little about each file."""
COMMIT_LINKS_MAX = 100
COMMIT_ANCHORS_MAX = 2_000
"""Touched symbols kept of one commit, innermost first; only sweeps over a large code base touch more."""
COMMIT_SYMBOL_RENAMES_MAX = 500
RENAME_PARSED_CONFIDENCE = 0.9
"""Both names are definitions of their own side's blob, at the changed lines."""
RENAME_BODY_CONFIDENCE = 0.7
"""The names are akin, or the body stands under the new one; the rest of the definition changed too."""
RENAME_BODY_SHARE_MIN = 0.6
"""Lines of a definition that were kept, from which it went along with its body."""
RENAME_BODY_LINES_MIN = 3
"""Fewer kept lines are common to many definitions."""
RENAME_PAIRS_MAX = 10_000
"""Definitions gone times definitions added; above it a file was written anew."""
RENAME_WORD_MIN_CHARS = 3
RENAME_GUESSED_CONFIDENCE = 0.6
"""Only the lines look like declarations; no parser knows the language."""
DECLARATION_MAX_CHARS = 400
"""A longer line is data or minified code."""
ANCHORED_COMMITS = 100
"""Newest commits of a capture whose symbols are looked up at once; older ones when they are asked for."""
SECRET_NAME_MIN_CHARS = 12
"""A shorter file or folder name holds no secret that any pattern knows."""
ANCHORED_COMMITS_BATCH = 25
"""Commits whose blobs are read together; bounds memory, saves processes."""
ANCHORED_BLOB_MAX_BYTES = 1_000_000
"""Larger source files are generated; their lines are not anchored."""
INGEST_BATCH_COMMITS = 64
"""Commits whose messages are searched for secrets together, and between two reports of progress."""
SKIPPED_NAMED_MAX = 100
"""Skips are all counted; naming more than a screenful helps nobody."""
DOCUMENT_TITLE_MAX_CHARS = 300
DOCUMENT_SUMMARY_MAX_CHARS = 2_000
"""One paragraph; the document itself is the source."""
DOCUMENT_SYMBOLS_MAX = 200
DOCUMENTS_MAX = 100_000
"""Records of decisions and procedures looked at when documents are compared with what stands."""
PROPOSED_DECISION_CONFIDENCE = 0.5
"""A decision that is only proposed does not govern yet."""
PATCH_LINES_MAX = 50_000
"""Changed lines of one commit that are looked at for symbols; generated and vendored files exceed it."""
ARTIFACTS_FILE_MAX_BYTES = 100_000_000
"""Ten thousand issues with long texts; a larger file is a dump of something else, and it is parsed in memory."""
ARTIFACT_ID_MAX_CHARS = 500
"""Ids of forges are numbers, those of test reports qualified names; it is a part of the record's key."""
ARTIFACT_TITLE_MAX_CHARS = 300
ARTIFACT_SUMMARY_MAX_CHARS = 4_000
"""As of commit messages: an export's long texts are cut with a count, and the source has the rest."""
ARTIFACT_FILES_MAX = 1_000
ARTIFACT_NAMES_MAX = 200
"""Files and symbols of one artifact that become anchors; a change of more is a sweep."""
ARTIFACT_XML_DEPTH_MAX = 100
"""Reports nest suites a few levels deep."""
ARTIFACT_BATCH = 64
"""Artifacts whose texts are searched for secrets together, and between two reports of progress."""
ARTIFACT_SOURCES_BATCH = 500
"""Sources whose former versions are looked up at once."""

# --- Encounters -------------------------------------------------------------------------------------------------------
NODE_NAME_MAX_CHARS = 200
"""A node's name is a sentence at most; above it the caller is told, never silently cut."""
NODE_LINE_MAX_CHARS = 2_000
"""Short properties: categories, keys, addresses."""
NODE_TEXT_MAX_CHARS = 20_000
"""Descriptions, reports and snapshots; longer text belongs in its source."""
NODE_ALIASES_MAX = 50
ENTITY_BATCH_MAX = 500
"""Entities or relations of one call: what an agent writes in one turn, far above it."""
RECENT_ENCOUNTERS_MAX = 50
"""Encounters named in a re-entry payload; the spine keeps that many at hand."""
REENTRY_LIMIT_MAX = 100
REENTRY_RELATIONS_PER_CONCEPT = 5
"""Newest relations shown per concept at re-entry, so that a hub cannot fill the payload."""
CARD_CHARS = 200
"""Of a description in a list; the card says how long the whole is."""
FRONTIER_SCAN_MAX = 1_000
"""Newest questions or hypotheses looked through for open ones at re-entry; what lies beyond is counted as unseen."""
RELATIONS_PER_STEP_MAX = 5_000
"""Relations of one node that are read to check or count; a node with more is a hub, and the answer says so."""
VOCABULARY_SCAN_MAX = 10_000
VOCABULARY_WORDS_MAX = 50
SEARCH_LIMIT_MAX = 50
TRACE_DEPTH_MAX = 6
TRACE_NODES_MAX = 300
"""Nodes of one provenance walk."""
TRACE_FAN_OUT = 50
"""Grounding relations followed from one node."""

# --- Agent clients ----------------------------------------------------------------------------------------------------
SETTINGS_MAX_CHARS = 4_000_000
"""A settings file above it is not one that people wrote; it is refused, not patched."""
SETTINGS_MAX_DEPTH = 100
"""Deeper nesting is hostile, and the scanner is recursive."""
START_MAX_CHARS = 4_000
"""Told at the start of every chat, so it must be worth its tokens: a screenful."""
START_FACTS = 20
START_RECORDS = 4
"""Newest pitfalls and newest decisions; those of the files in play come with the prompts."""
START_RECORDS_LOOKED = 20
"""Of which the superseded ones fall out."""
HOOK_CLIENT_TIMEOUT_SECONDS = 10
"""What the client is told to wait; the hook's own deadlines are shorter, so this is only a net below them."""
SESSION_END_TIMEOUT_SECONDS = 1
"""Clients share about 1.5 s among all hooks at the end of a session."""
COMPACT_AT_MAX_PERCENT = 85
"""Reports say that the variable can only lower the client's threshold, which lies near there."""
RECENT_EXCHANGES = 10
"""Exchanges that stay with the client; only turns older than these are offloaded."""
TURN_MAX_CHARS = 8_000
"""Of one offloaded turn; longer ones are pasted files and logs, and their beginning and end say what they are."""
TRANSCRIPT_LINE_MAX_BYTES = 4_000_000
"""A longer line is a tool's output or an image; it is stepped over and counted."""
TRANSCRIPT_WINDOW_BYTES = 24_000_000
"""How much of a transcript's end one hook reads: well under a CPU second, and the cursor makes it rare."""
TRANSCRIPT_DOCUMENT_MAX_BYTES = 16_000_000
"""Transcripts kept as one JSON document are read whole, so they are bounded more tightly."""
SEEN_TURNS = 512
"""Keys of offloaded turns kept in a cursor, so that a rewritten transcript does not deliver them again."""
OFFLOAD_MAX_CHARS = 400_000
"""Of turns in one offload: a queue that a small local model can still get through; the rest waits for the next one."""
HOOK_TOOL_MAX_CHARS = 20_000
"""Of a tool's input and result looked at for recognition; the beginning says what it was about."""
SESSION_ID_MAX_CHARS = 200
"""Clients use UUIDs; a longer id is not one."""
PROMPT_MAX_CHARS = 100_000
"""Of a prompt in a hook event; selection reads the beginning of anything longer."""

# --- Analytics --------------------------------------------------------------------------------------------------------
DAMPING = 0.85
"""Of PageRank and ArticleRank; the value both were published with."""
RANK_TOLERANCE = 1e-10
"""Scores stop moving in the digits that decide a rank (they are compared to 12)."""
EXACT_BETWEENNESS_STEPS = 10_000_000
"""Nodes x edges up to which every shortest path is counted (about 0.5 CPU s); above it paths from pivots are."""
PIVOT_STEPS = 4_000_000
"""Pivots x edges of the estimate, so that its time does not grow with the graph."""
PIVOTS_MIN = 32
"""Fewer starting points than this make an estimate of noise."""
LEIDEN_SEED = 20_011
"""Any fixed number: equal graphs get equal communities."""
WEAVE_DEGREE_MIN = 3
"""Below three neighbours a star has no shape."""
PANEL_LIMIT = 20
PANEL_LIMIT_MAX = 200
PROJECTIONS_PER_SESSION = 20
"""Named projections are definitions of a few hundred bytes; twenty are plenty for one line of thought."""
SNAPSHOT_CHANGES_MAX = 2_000
"""Changes above which reading a whole snapshot anew is cheaper than fetching item by item."""
DERIVED_CACHE_ENTRIES = 16
"""Snapshots and panels kept in one process; one of 5,000 nodes and 20,000 relations takes about 40 MB."""

# --- Code graph -------------------------------------------------------------------------------------------------------
EVALUATION_VALUES = 24
"""An expression that can be more things than this is anything; following it would be a guess."""
EVALUATION_HOPS = 50
"""Questions open at once; each takes about ten stack frames. Longer chains are answered from their end."""
EVALUATION_ROUNDS = 12
"""Cycles of assignments settle in two or three rounds; the bound only guards against a mistake of ours."""
BASES = 100
"""More base classes than this are not followed."""
FLOW_ROUNDS = 3
"""A function passed as an argument is followed through this many calls."""
FLOW_VALUES = 8
"""A parameter that receives more different things is not followed."""
GUESS_NAME_CHARS = 3
"""Shorter names say too little to guess a callee by."""
BOUNDARY_TEXT_DEPTH = 12
"""A URL or topic is put together from texts nested this deep."""
BOUNDARY_TEXTS = 4
"""Of an expression that can be several texts this many are looked at."""
BOUNDARY_WRAPPERS = 3
"""A function that sends what it is given is followed through this many callers."""
BOUNDARY_MOUNTS = 16
"""Routers nested deeper in one another, or mounted at more places, are not followed."""

# --- Infusion ---------------------------------------------------------------------------------------------------------
TRAJECTORY_TURNS = 7
TRAJECTORY_TURN_MAX_CHARS = 2_000
TRAJECTORY_MAX_CHARS = 12_000
"""The last user turns of a chat: enough to tell what the work is about, bounded for every prompt."""
TRANSCRIPT_TAILS_BYTES = (128 << 10, 1 << 20, 4 << 20)
"""Ends of a transcript that are read for these turns, the next larger only when too few were found: a prompt waits."""
TRAJECTORY_WEIGHT = 0.35
"""Of earlier turns beside the prompt: they break ties, they do not outvote it."""
TRAJECTORY_DECAY = 0.7
"""Per turn back: seven turns ago a word weighs a tenth."""
TRAJECTORY_TERMS_MAX = 32
"""Words of earlier turns that are looked for; the newest turns first."""
FOCAL_MAX = 5
"""Recognised nodes that seed the ranking; the rest of a payload is for what they lead to."""
FOCAL_SHARE = 0.4
"""Of the best score; what scores below it is there by one shared word."""
INFUSE_NEAR_MAX = 40
"""Nearest nodes that are looked at, near or not."""
INFUSE_NEAR_MIN = 0.22
"""Cosine from which a node may be recognised by meaning, if no everyday request is nearer to the prompt than it is."""
INFUSE_CHORE_MARGIN = 0.1
"""A prompt that is so much nearer to an everyday request than to all that is remembered needs no memory."""
INFUSE_NOT_UNLIKE = 0.05
"""What is linked to a named component need only be nearer than chance."""
INFUSE_WORDS_UNLIKE = 0.25
"""Words that are shared by chance stand in nodes that mean something else: below this they recognise nothing."""
INFUSE_LIKENESS_WEIGHT = 3.0
"""A cosine of 0.3 more outweighs what words say."""
INFUSE_BESIDE_WORTH = 0.5
"""What it is worth besides to be linked to a component that the moment names."""
INFUSE_NAMED_MAX = 2
"""Components that a moment names outright: two leave room for what is known about them."""
INFUSE_NAMED_TERMS_MAX = 400
"""Words of prompt, turns and files that components are looked up by."""
INFUSE_NAMED_CANDIDATES = 60
INFUSE_NAME_CHARS_MIN = 4
"""A shorter name is a word's beginning or an abbreviation that stands for several things."""
INFUSE_WORDS_MIN = 2
"""One shared word is chance in a short prompt; two are a subject."""
INFUSE_COVERAGE_MIN = 0.18
"""Share of the prompt's idf mass that two words or more must cover, so that a long prompt is about something else."""
INFUSE_LONE_COVERAGE_MIN = 0.5
"""What a single word must cover: half of all that the prompt says."""
INFUSE_LINKED = 24
"""Named components and best candidates whose relations are read: one word of a prompt that names a component is
enough for what is known about it."""
INFUSE_LINKS_PER_NODE = 8
INFUSE_WORD_STRENGTH = 0.75
"""The word itself, a form of it or its beginning; a word of like meaning supports, and recognises nothing."""
TRAJECTORY_COVERAGE_MIN = 0.6
"""Share of the weighted words of earlier turns that recognises without the prompt; half of it with one of its words.
Below it, turns about a topic break the silence of a prompt about another."""
FOCAL_BIAS = 1.0
FRONTIER_BIAS = 0.3
EXPANSION_BIAS = 0.5
"""Restart mass of what the moment is about, of open work, and of what lies one relation from a recognised concept."""
TENSION_SEVERITY_MIN = 0.25
"""A conflict whose better end ranks at a quarter of the top is about the matter at hand; below it is parked."""
RENEWAL_HORIZON_TURNS = 10
"""After ten turns a body is too far back in the context to count as told."""
LEDGER_ENTRIES_MAX = 2_000
INFUSE_MAX_CHARS = 10_000
INFUSE_MAX_CHARS_CAP = 50_000
INFUSE_FRONTIER_SCAN = 20
"""Newest questions and hypotheses looked at per prompt, so that its cost does not grow with the graph."""
INFUSE_CANDIDATES = 120
"""Nodes sharing a word with the moment that are read and ranked per prompt, those with its rarest words first."""
INFUSE_FAN_OUT = 12
INFUSE_SETTLED_MAX = 40
"""Nodes near the focal ones whose state is read in full, so that they can be told."""
INFUSE_EDGES_MAX = 120
"""Relations gathered around the focal nodes per prompt."""
INFUSE_BODY_CHARS = 400
"""Of one node's description in a payload; the rest is one call away, and the line says so."""
INFUSE_SUBJECTS_MAX = 20
"""Files and paths of one turn whose records are looked up."""
INFUSE_RECORDS_MAX = 4
INFUSE_FACTS_MAX = 4
"""Repository facts in a payload that was not asked for."""
MEANINGS_MAX = 120
"""Meanings sent to a model per prompt, so that its cost does not grow with the graph."""
MEANINGS_LEXICAL_MAX = 50
MEANINGS_NEAR_MAX = 30
MEANINGS_LINKED_MAX = 30
"""Of these at most so many come by words, by vectors and by relations to the best; open work and the newest fill up."""
MEANINGS_NEWEST = 160
"""Newest meanings that are looked at, so that a small graph is offered whole."""
MEANING_MAX_CHARS = 240
"""One sentence of thirty words."""
MEANING_SOURCE_MAX_CHARS = 4_000
"""Of a node's text that a model compresses; what a node is about stands at its beginning."""
MEANING_TIMEOUT_SECONDS = 5.0
"""A prompt waits no longer for a matcher; the hook's own deadline is eight seconds then."""
MEANING_HOOK_DEADLINE_MS = 8_000
"""What a server with a routed matcher asks hooks to wait at most."""
MEANING_ANSWER_MAX_TOKENS = 512
"""Several times the largest answer that the schemas allow."""
MEANING_REPLY_MAX_CHARS = 20_000
"""Of an answer that is read at all: a good one has a few hundred."""
MEANING_ATTEMPTS_MAX = 3
"""A node whose meaning no answer gave after these tries is left alone until its text changes."""
MEANING_TIMEOUTS_MAX = 3
MEANING_REST_SECONDS = 60
"""After so many timeouts in a row a matcher is not asked for a minute: every prompt would wait for nothing."""
MEANINGS_RUN_MAX = 2_000
"""Meanings made in one run in the background; the next sweep goes on."""
MEANINGS_PAGE = 100
"""Nodes looked at together when meanings are swept."""
MEANING_SWEEP_SECONDS = 300
"""Between two sweeps of a running server."""
MEANINGS_LEASE_SECONDS = 120
"""Longer than a model takes for one meaning; a process that died gives the work up after it."""
INFUSE_NEIGHBOURS_MAX = 8
INFUSE_THREADS_MAX = 5
SOURCE_FILE_MAX_BYTES = 1_000_000
"""Larger source files are generated; they are counted, not parsed."""
PARSE_IN_PROCESS_FILES = 200
"""Starting worker processes costs as much as parsing about this many files."""
PARSE_IN_PROCESS_BYTES = 128_000
"""A larger file is parsed in a process that can be killed."""
PARSE_WORKERS = 4
"""More processes than this only share the disk."""
PARSE_DEADLINE_SECONDS = 10
"""A file of the largest size parses in about 2 s; one that takes longer is hostile or defeats its grammar."""
PARSE_MEMORY_BYTES = 2_000_000_000
"""Address space of a parsing process."""
STALE_REFRESH_FILES = 50
"""Up to this many changed files a question refreshes the graph first (about a second)."""
FIRST_BUILD_FILES = 2_000
"""A question builds a missing or outdated graph of up to this many files itself (about 20 s of work at most)."""
RACY_NANOSECONDS = 20_000_000
"""A file changed within this time of a build may change again without a new stamp, so its content is read again."""
AFFECTED_DEPTH = 3
"""Hops shown unless asked otherwise; farther effects are rarely acted on."""
AFFECTED_DEPTH_MAX = 20
ANSWER_CHARS = 6_000
"""Characters of an answer unless asked otherwise: about 1,500 tokens."""
ANSWER_MIN_CHARS = 200
ANSWER_MAX_CHARS = 200_000
RELATION_OVERHEAD_CHARS = 60
"""Tier, hops, line and punctuation around the id of one relation when it is written out."""
PARSE_ERROR_SHARE_MAX = 0.2
"""Above it the grammar does not fit the language's files."""
SYMBOL_LESS_SHARE_MAX = 0.01
"""More files than this without any symbol mean that the query misses declarations."""
SYMBOL_LESS_CODE_LINES = 20
"""Shorter files may well declare nothing."""
PATH_SYMBOLS_MAX = 100_000
"""Symbols looked at for one path; beyond it the ends hang together through everything."""
EDIT_FAMILY_MAX = 500
"""Classes above and below one whose methods may override; a larger family is a framework's root."""
QUESTION_SEEDS = 25
"""Symbols whose words match best; a model reads no more of a subgraph."""
QUESTION_NEIGHBOURS = 25
QUESTION_TEXT_CHARS = 160
"""Of one signature or first doc line in a subgraph; the rest is one call away."""
QUESTION_STEM_CHARS = 3
"""Stemming keeps so many first letters of a word, so a symbol without them cannot match."""
QUESTION_CHARS_MAX = 2_000
QUESTION_WEIGHTS = {"name": 3.0, "doc": 1.5, "signature": 0.7, "path": 1.0}
"""A name says what a symbol is; a signature mostly repeats names of others."""
SOURCE_LINES_SHOWN = 400
"""Lines of one symbol quoted at most; longer ones are read in the file."""
SEARCH_TEXT_HITS = 50
SEARCH_TEXT_HITS_MAX = 500
SEARCH_TEXT_BYTES_MAX = 300_000_000
"""Bytes read for one search, about a second; files beyond are counted as not searched."""
SEARCH_TEXT_CHARS_MAX = 500
SEARCH_LINE_CHARS = 240
"""Of a line that holds a hit; the place says where the rest is."""
UNKNOWN_CALLS_SHOWN = 20
DIFF_MAX_CHARS = 2_000_000
"""A diff given as text; a larger change is named by its revisions."""
IMPACT_FILES_MAX = 2_000
"""Files of one change that are parsed; more are counted and named as files only."""
IMPACT_SYMBOLS_SHOWN = 200
IMPACT_COMMUNITIES_SHOWN = 10
COCHANGE_PATHS_MAX = 50
COCHANGE_COMMITS = 200
"""Newest commits of a file that are looked at for its habits."""
COCHANGE_FILES_MAX = 30
"""A commit of more files is a sweep and tells no habit."""
COCHANGE_COUNT_MIN = 2
COCHANGE_SUPPORT_MIN = 0.3
COCHANGE_SHOWN = 15
COCHANGE_HABIT_SUPPORT = 0.6
"""A partner that changed along so often is missed when it does not."""
COCHANGE_HABIT_COUNT = 3
RISK_AFFECTED = (10, 50)
"""Affected symbols that weigh one and two points: what one can read in a sitting, and what nobody reads."""
RISK_LEVELS = (2, 4)
"""Points from which a change is of medium and of high risk."""
COMMUNITY_WEIGHTS = {
    "contains": 2.0, "calls": 1.0, "imports": 0.5, "inherits": 1.5, "implements": 1.5, "references": 0.5,
}  # fmt: skip
"""A file and its declarations belong together first; a call binds more than a mention."""
COMMUNITY_SYMBOLS_MIN = 3
"""A file with two declarations; a lone function is no part of its own."""
COMMUNITY_CENTRAL = 8
COMMUNITY_OVERLAP_MIN = 0.5
COMMUNITY_FILES_SHOWN = 12
COMMUNITIES_EAGER_SYMBOLS = 60_000
"""An impact answer finds missing communities itself up to this size (about 2 s); above it, it goes without."""
SEMANTIC_RECORDS_MAX = 10_000
PULL_REQUEST_SECONDS = 30
SCIP_MAX_BYTES = 500_000_000
"""An index of a few million lines; it is read whole."""
CYPHER_EXPORT_BATCH = 500
"""Rows of one statement: few statements, and none too large for a server's parser."""
WATCH_POLL_SECONDS = 1.0
WATCH_COST_FACTOR = 20
"""Looking at all stamps may take one twentieth of the time."""
WATCH_QUIET_SECONDS = 0.5
"""A save often touches several files; the graph is updated when so long nothing more changed."""
FACTS_UNPACKED_ROWS = 120_000
"""Expressions of files that stay unpacked during a build, and as many again not asked for of late (0.5 KB each)."""
BUILD_PART_FILES = 200
"""A whole build writes down what it found of so many files at once; more would only be held in memory."""
REBUILD_SHARE = 0.3
"""When more of the files changed, building everything anew is cheaper than finding out what the changes touch."""
REBUILD_FILES_MIN = 100
"""Below it the share says little, and small builds are quick either way."""

# --- Locating ---------------------------------------------------------------------------------------------------------
LOCATE_LIMIT = 10
LOCATE_LIMIT_MAX = 200
LOCATE_TERMS_MAX = 64
"""Words of a description that are looked up; a longer one repeats itself."""
LOCATE_ALIKE = 400
"""Records that share words with the description, rarest words first; those below hardly vote."""
LOCATE_RECENT = 1_000
"""Newest records from which the habits of a repository are learnt; older ones weigh next to nothing."""
LOCATE_FADING_CHANGES = 300
"""A change counts a third after so many later ones."""
LOCATE_SWEEP_FILES = 30
"""A change of more files says nothing about each of them."""
LOCATE_RENAMES = 8
"""Renames of one path that are followed to its present name."""
LOCATE_TITLE_WORDS = 8
"""Length of an ordinary title, for which likeness is the plain share of shared rarity."""
LOCATE_HABIT_FLOOR = 0.01
"""Habit of a file that never changed, as a share of the busiest one's."""
LOCATE_BM25_B = 0.3
"""Length normalisation of file contents: long files are where code lives, so they are hardly punished."""
LOCATE_REASON_RECORDS = 3
LOCATE_REASON_WORDS = 8
"""Shown per file; an answer is read by a model that pays per word."""
LOCATE_NEAR_CHARS = 2_000
LOCATE_NEAR_MIN = 0.5
"""Share of trigrams from which a word and a file's name look alike."""
LOCATE_SCORE_POWER = 4.0
"""Votes by BM25 count steeply: the best few messages, not the crowd of weak ones."""
LOCATE_COMPANIONS_OF = 5
"""Best files of a first ranking whose companions are looked for."""
LOCATE_COMPANIONS_MAX = 10
"""Files of one change; in a larger one they did not change because of each other."""
LOCATE_COMPANIONS_DOUBT = 3.0
"""Changes added to a file's own, so that one common change makes no companion."""
LOCATE_WEIGHTS = {
    "text": 2.5, "passage": 2.9, "declared": 0.8, "name": 0.9, "folder": 0.9, "named": 2.0, "scope": 1.0, "near": 0.8,
    "votes": 0.9, "scored": 1.1, "associated": 0.4, "companion": 1.0, "habit": 0.7, "area": 0.2, "kind": 0.5,
    "churn": 0.3,
}  # fmt: skip
"""Legs of evidence against each other: softmax regression on half of 1,130 past fixes of fifteen open histories."""
CONTENT_MAX_BYTES = 400_000
"""Larger text files are generated or data; only their names are looked at."""
CONTENT_STALE_MIN = 1_000
"""Texts of no file any more that are kept at least: switching branches brings them back."""
CONTENT_LINE_MAX_CHARS = 2_000
"""What lies beyond in a line is minified or data."""
CONTENT_PLACES_MAX = 255
"""Lines kept per word and file: BM25 is flat long before, and one passage needs few."""
BINARY_PROBE_BYTES = 8_000
"""Git's own measure: a NUL in so many first bytes means binary."""
PASSAGE_LINES = 12
"""A function's worth of lines: words that stand that close are about one thing."""
EVAL_CASES = 60
EVAL_CASES_MAX = 1_000
EVAL_RECORDS = 100
"""Ranked records whose files are looked at; deeper ones say nothing about the first file."""
EVAL_WORDS_MIN = 3
"""Telling words of a subject, `fix` and its like aside; with fewer nobody could say where to look."""
EVAL_FILES_MAX = 20
"""A fix of more files is a sweep; nobody could be asked to name its files."""
BOOTSTRAP_ROUNDS = 1_000
"""Resamples of an interval; its ends then move by less than a hundredth."""

# Cypher over a snapshot
CYPHER_MAX_CHARS = 20_000
"""A longer query is generated, and would cost more to check than to rewrite."""
CYPHER_PARAMS_MAX_CHARS = 200_000
CYPHER_TIMEOUT_SECONDS = 5.0
"""An agent waits for the answer; the process that computes it is ended a second later at the latest."""
CYPHER_START_SECONDS = 20.0
"""Loading the largest snapshot into a new process on a busy machine."""
CYPHER_WORK_UNITS = 1_000_000
"""About 280 MB of intermediate rows, half a second."""
CYPHER_ROWS_MAX = 500
CYPHER_BYTES_MAX = 1_000_000
"""Of the answer as the query process hands it over; a door shows less."""
CYPHER_MEMORY_BYTES = 2_500_000_000
"""Address space of the query process: a query that doubles a list thirty times ends it, and nothing else."""
CYPHER_ITEMS_MAX = 200_000
"""Nodes and relations of a snapshot: about 1 GB in the query process."""
CYPHER_PROCESSES_MAX = 2
"""Snapshots kept alive; each costs a process of 60 MB and up."""
CLI_BATCH_BYTES_MAX = 10_000_000
"""Of a batch of entities and relations from a file; five hundred of each at their longest."""
ANCHORS_RESOLVED_MAX = 50
"""Each is up to three look-ups in the code graph; an answer shows few more bookmarks."""

# --- Models -----------------------------------------------------------------------------------------------------------
MODEL_TIMEOUT_SECONDS = 60.0
"""A small local model writes a few hundred tokens in that time on a laptop; nobody waits for it but the queue."""
MODEL_TIMEOUT_MAX_SECONDS = 600.0
"""A job that takes longer keeps its turns in memory too long."""
MODEL_NAME_MAX_CHARS = 500
"""Of names, URLs and other texts of one line in the models' file."""
MODEL_FILE_MAX_BYTES = 1_000_000
"""A file of routes is a page."""
MODEL_REPLY_MAX_BYTES = 8 << 20
"""Of one answer on the wire, envelope and all; reading stops there. The largest good one is a hundredth of it."""
MODEL_ANSWER_MAX_TOKENS = 4_096
"""Above what the answer's schema allows at its largest, so that a good answer is never cut."""
MODEL_CONNECT_SECONDS = 5.0
"""Loopback and private hosts answer in milliseconds; a host that is gone should not hold the queue."""
MODEL_ANSWER_MAX_STEPS = 300_000
"""Tokens of an answer that is not plain JSON: half a CPU second at most, and a hundred times a good answer."""
MODEL_ANSWER_MAX_DEPTH = 24
"""Nesting of an answer; ours has three levels."""
EXTRACTED_TRIPLES_MAX = 200
"""Of one answer; the schema asks for far fewer, and a model that says more is repeating itself."""
EXTRACTED_PER_WINDOW = 24
"""Facts asked for from one window: more than a dozen turns hold; the schema's worst case is 10,000 tokens."""
EXTRACTION_WINDOW_CHARS = 12_000
"""Of turns in one question: about 3,000 tokens, which with the prompt and an answer fit a context of 8,192."""
EXTRACTION_KNOWN_NAMES = 80
"""Names told so that they are used again; small models lose the thread in longer lists."""
EXTRACTION_KNOWN_CHARS = 2_400
EXTRACTION_KNOWN_LOOKED = 400
"""Newest entities of each scope among which the names are chosen."""
JOB_MAX_SECONDS = 900.0
"""A job that takes longer gives up its remaining windows: turns should not stay in memory for an hour."""
OFFLOAD_TURNS_MAX = 2_000
"""Of one call; a conversation between two compactions has a few hundred."""
OFFLOAD_QUEUE_MAX = 64
"""Jobs that wait in one process; a client that offloads more often is asked to come back."""
OFFLOAD_RETRY_SECONDS = 30
"""Told with a full queue: about what one job of a small model takes."""
OFFLOAD_AT_STOP_CHARS = 20_000
"""Of turns that grew old since the last time: at the end of each answer less is not worth a job."""
JOBS_KEPT = 200
"""Newest jobs whose rows stay."""
JOB_LEASE_SECONDS = 30
"""A process says so often that its jobs are alive; one that died is known after this."""
JOB_START_SECONDS = 120
"""A detached worker is given that long to start on a busy machine before its job counts as lost."""
STDIO_FINISH_SECONDS = 1.0
"""A stdio server whose client left gives its jobs that long: rules are done by then, and nobody waits for it longer."""
JOB_ATTEMPTS = 2
"""Questions asked again once when the provider cannot be reached; a model that answers badly will do so again."""
EMBED_SECONDS = 10.0
"""A save waits for its vectors no longer."""
EMBED_REST_SECONDS = 60
"""A provider that did not answer is left alone that long."""
EMBED_FLOOR_SHARE = 0.99
"""Of the pairs below that are no more alike than the floor: what unrelated texts hardly reach."""
EMBED_UNRELATED = (
    "The billing service uses Stripe", "A cat sleeps on the warm stone", "Release trains leave every Thursday",
    "Null pointer in the header parser", "The user prefers tabs", "Rain fell over the northern hills",
    "Postgres stores the ledger", "Deploy keys rotate each quarter", "The choir rehearses on Mondays",
    "Retry with exponential backoff", "Feature flags are kept in Redis", "She painted the fence green",
    "The gateway listens on port 8080", "Bread rises faster in summer", "Logs are shipped to Loki",
    "The test was flaky because of a race", "Migration adds a nullable column", "An owl hunts at dusk",
    "Sessions expire after seven days", "The linter runs before each commit",
)  # fmt: skip
"""Sentences that have nothing to do with each other; a new model's floor comes from their pairs."""
