"""What the model is told about a JSON Schema, or about a report that must fit a JSON Schema."""

from bot.core.texts import Text

# What is wrong, by its kind, as the judge names it

FLAWS = {
    "no JSON": Text("the text is not JSON: {detail}"),
    "no number": Text("the text is not JSON: {detail} is not a number in JSON"),
    "no reference": Text("the reference {detail!r} in the schema points to nothing"),
    "misfit": Text("{detail}"),
}

# Why there is no verdict

UNJUDGED = {
    "no reference": Text("the reference {detail!r} in the schema points to nothing"),
    "circle": Text("the references in the schema form a circle, or the schema or the report is nested too deep"),
    "memory": Text("the check against the schema takes too much memory"),
}
