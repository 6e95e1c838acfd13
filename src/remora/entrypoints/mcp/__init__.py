"""The MCP door: the catalogue's operations as tools, over stdio or HTTP. Only here is the MCP SDK imported."""
