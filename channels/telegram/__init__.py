"""Telegram as a channel. `channels.telegram.channel` imports the library, so import it only where Telegram is used."""
