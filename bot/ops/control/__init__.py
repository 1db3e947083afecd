"""The control socket: how a command on this machine talks with the bot that runs in a data folder.

It is a file in the data folder, for its owner alone. `place` finds it, `server` answers there, `asking` asks.
"""
