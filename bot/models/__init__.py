"""The language models: Claude, and the demo that needs no key. Each is a `Model` as `bot.core.model` has it."""
