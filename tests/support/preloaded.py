"""What the server of processes has imported: all commands, and what they import only when they run."""

import gc
from importlib import import_module
from pkgutil import iter_modules

import bot.assembly
import bot.cli
import bot.models.claude.sdk_client
import bot.tenants.commands

for package in (bot.cli, bot.tenants.commands):
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
gc.freeze()  # a process would copy what its collector looks at
