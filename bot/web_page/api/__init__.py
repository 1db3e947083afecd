"""The HTTP API beside the page: the same rows as JSON, and delegations, for programs with a token.

`reading.py` and `delegating.py` list the operations, each with its scope, what it takes and what it answers. The same
list answers requests (`application.py`) and describes itself (`openapi.py`). This package is loaded only if a client
has scopes.
"""
