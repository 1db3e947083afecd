"""The models that answer: what people choose (/model, /effort), and what they read while one does not answer."""

from bot.core.texts import Text

# What this chat uses

NO_MODEL_IN_DEMO = Text("A script answers in the demo: there is no model to choose.")
OWNER_CHOOSES = Text("Only the owner chooses my model and effort.")
GROUP_CHOOSES = Text("This chat is the group {group}'s: the model of its agent stands in the group's file.")
MODEL_WITH_EFFORT = Text("{model}, effort {effort}")
CURRENT_MODEL = Text("This conversation: {model}.")
NEXT_MODEL = Text("From the next conversation on (/new): {model}.")

# What there is to choose

USABLE_MODELS = Text("I can use: {models}.")
EFFORTS = Text("{model} has the efforts {efforts}.")
NO_EFFORTS = Text("{model} has no effort to choose.")
HOW_TO_CHOOSE = Text("/model NAME or /effort LEVEL chooses another for this chat, and “default” goes back.")

# What is no choice

UNKNOWN_MODEL = Text(
    "I do not know the model “{model}”. I can use: {models}. Others can be named in model.prices of the config."
)
UNKNOWN_MODEL_LIKE = Text(
    "I do not know the model “{model}”. Did you mean {nearest}? I can use: {models}. Others can be named in "
    "model.prices of the config."
)
UNKNOWN_EFFORT = Text(
    "{model} has no effort “{effort}”. {model} has the efforts {efforts}. Choose one by /effort first."
)

# While a model does not answer

OTHER_MODEL = Text("My usual language model does not answer right now, so another one answers meanwhile.")
TRYING_AGAIN = Text("{reason}. I try again until it answers; /stop ends the wait.")
