"""How long a test waits for what must come: a busy machine, or one that stands still for a while, is no fault."""

PATIENCE = 20.0  # seconds
