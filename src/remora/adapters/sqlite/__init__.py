"""The embedded engine: SQLite through apsw. `store.open_store` is the way in."""
