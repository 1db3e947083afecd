"""What turns speech into text: a server that speaks a well-known call, or a program of this machine."""

from bot.core.network import NetworkAccess
from bot.core.settings import VoiceSettings
from bot.core.transcriber import Transcriber


def transcriber_from_settings(voice: VoiceSettings, network: NetworkAccess) -> Transcriber | None:
    """Return what the settings name; None if they name nothing. Each is imported only where it is used."""
    if voice.command:
        from bot.models.transcribers.local_command import LocalCommand

        return LocalCommand(voice.command, seconds=voice.timeout_seconds)
    if voice.base_url:
        from bot.models.transcribers.server import TranscriptionServer

        key = voice.api_key.get_secret_value() if voice.api_key else None
        return TranscriptionServer(
            voice.base_url,
            key,
            model=voice.model,
            micros_per_minute=voice.micros_per_minute,
            seconds=voice.timeout_seconds,
            network=network,
        )
    return None
