"""Who may use which repository on a server: organisations, members, keys and grants. Pure."""
