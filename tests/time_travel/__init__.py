"""Time travel: random turns over the socket of Claude's stand-in, built again from their rows."""
