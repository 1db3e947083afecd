"""What the model is told of a JSON Schema, or of a report that is to fit one."""

from bot.core.texts import Text

# What is wrong, by its kind, as the judge names it

FLAWS = {
    "no JSON": Text("it is not JSON: {detail}"),
    "no number": Text("it is not JSON: {detail} is not a number there"),
    "no reference": Text("its reference {detail!r} leads nowhere"),
    "misfit": Text("{detail}"),
}

# Why there is no verdict

UNJUDGED = {
    "no reference": Text("its reference {detail!r} leads nowhere"),
    "circle": Text("its references form a circle, or it is nested too deep"),
    "memory": Text("it takes too much memory to check"),
}
