"""Agent clients: one canonical hook event, what each client sends, expects and keeps in its files. Pure."""
