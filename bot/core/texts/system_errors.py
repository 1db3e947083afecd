"""What the operating system says when a file cannot be used, in its own words. They reach people as a reason."""

from bot.core.texts import Text

NO_SPACE = Text("No space left on device")
QUOTA_REACHED = Text("Disk quota exceeded")
READ_ONLY = Text("Read-only file system")
NOT_ALLOWED = Text("Permission denied")
NOT_PERMITTED = Text("Operation not permitted")
DISK_FAILS = Text("Input/output error")
NOT_THERE = Text("No such file or directory")
IS_THERE = Text("File exists")
TOO_MANY_OPEN = Text("Too many open files")
NAME_TOO_LONG = Text("File name too long")
