"""What the journal says to the model: the results of a call that was several tasks."""

from bot.core.texts import Text

TASK_FAILED = Text("task {number} failed: {result}")
