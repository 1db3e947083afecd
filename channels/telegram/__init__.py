"""Telegram as a channel: its library is imported by `channels.telegram.channel`, and only where that is wanted."""
