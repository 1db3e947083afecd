"""The tests of the MCP client."""
