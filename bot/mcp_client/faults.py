"""Why an MCP server cannot be used."""


class ServerFault(Exception):
    """A server cannot be reached, or does not do as it should. The message is a clause for operators."""
