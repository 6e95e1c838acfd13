"""Every number that decides something, with its reason. Units are in the names."""

# --- Text -------------------------------------------------------------------------------------------------------------
PREFIX_MIN_CHARS = 3
"""Prefixes shorter than three letters match half a vocabulary."""

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

# --- Recall -----------------------------------------------------------------------------------------------------------
ENTRY_ENTITIES = 8
"""Entities from which a recall expands."""
FUSION_K = 10
"""Reciprocal rank fusion; the usual 60 flattens the margin between the first ranks."""
RECALL_MAX_CHARS = 6_000
CANDIDATE_LIMIT = 400
"""How many items an engine hands to the core's ranking; the cap's order is engine-neutral (rarest term, then id)."""

# --- Store ------------------------------------------------------------------------------------------------------------
BUSY_TIMEOUT_SECONDS = 30
"""Writers are not served fairly (longest wait measured 4.4 s in 5 s of load), so the wait is long."""
