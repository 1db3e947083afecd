"""`retinue`, with one more platform."""

from bot.cli import main
from channels.registry import register

register("tests.channels.toy")  # in `PLATFORM_PACKAGES` for a folder in `channels/`

if __name__ == "__main__":
    main()
