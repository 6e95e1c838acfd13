"""One verb per file: verb(ports, grant, request) -> result."""
