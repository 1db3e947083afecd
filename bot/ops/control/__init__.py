"""The control socket: how a command on this machine talks with the bot that runs in a data folder.

It is a file in the data folder, for its owner alone. socket_path.py finds it, server.py answers there, client.py asks.
"""
