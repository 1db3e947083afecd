"""What all others speak in: messages and turns, the protocols of channels and models, errors, limits, texts."""
