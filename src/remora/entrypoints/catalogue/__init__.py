"""The one list of operations that MCP tools, HTTP routes and the reference page are made from."""
