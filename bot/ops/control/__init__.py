"""The control socket: how a command on this machine talks with the bot that runs in a data folder.

The socket is a file in the data folder, for its owner and root. unix_socket.py connects to it, server.py answers on it.
"""
