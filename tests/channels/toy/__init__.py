"""Toy: a chat over a socket, and the smallest platform that Retinue can answer on. `docs/add-a-channel.md` shows it."""
