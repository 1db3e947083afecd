"""Skills and MCP servers that somebody has planted. They are made from tables when they are played."""
