"""A public suite of tasks and attacks (PyPI `agentdojo`), played against the whole bot over MCP."""
