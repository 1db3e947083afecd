"""What people read while a model does not answer."""

OTHER_MODEL = "My usual language model does not answer right now, so another one answers meanwhile."


def rests(why: str) -> str:
    return f"{why[:1].upper()}{why[1:]}. I try again until it answers; /stop ends the wait."
