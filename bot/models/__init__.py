"""The language models: Claude, and the demo that needs no key. Each implements `Model` from `bot.core.model`."""
