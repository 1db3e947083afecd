"""What the journal tells the model: which task of a tool call with several tasks failed."""

from bot.core.texts import Text

TASK_FAILED = Text("task {number} failed: {result}")
