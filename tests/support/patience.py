"""How long a test waits for what must come. A machine may be busy or stop for a while."""

PATIENCE = 20.0  # seconds
