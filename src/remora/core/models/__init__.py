"""Models that Remora may ask: which provider serves which task, what counts as local, and what is said on the wire."""
