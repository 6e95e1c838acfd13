"""Room for what is captured from the outside: history, documents and remotes, parsed without touching anything."""
