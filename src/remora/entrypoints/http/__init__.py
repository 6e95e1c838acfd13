"""The HTTP door: the catalogue's operations as routes, MCP over streamable HTTP and the hook's endpoint."""
