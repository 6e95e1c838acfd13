"""Record files: loose JSON documents and immutable segments under `.remora/`."""
