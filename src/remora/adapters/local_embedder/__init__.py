"""The builtin embedder: MiniLM with int8 weights, in this process, offline, from the extra `embed`."""
