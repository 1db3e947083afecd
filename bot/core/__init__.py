"""What all rooms share: messages and turns, the protocols of channels and models, errors, limits, texts."""
