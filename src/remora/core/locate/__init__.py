"""Which files a change described in words will touch: past changes, lineage and file contents weighed together."""
