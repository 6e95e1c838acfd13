"""One recall engine over all families: gate, rank, fuse, expand, evidence."""
