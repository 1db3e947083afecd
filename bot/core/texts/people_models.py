"""The models that answer: what people choose (/model, /effort), and what they read while a model does not answer."""

from bot.core.texts import Sentence

# What this chat uses

NO_MODEL_IN_DEMO = Sentence("A script answers in the demo: there is no model to choose.")
OWNER_CHOOSES = Sentence("Only the owner chooses my model and effort.")
GROUP_CHOOSES = Sentence("This chat belongs to the group {group}. Its model is set in the group's file.")
MODEL_WITH_EFFORT = Sentence("{model}, effort {effort}")
CURRENT_MODEL = Sentence("This conversation: {model}.")
NEXT_MODEL = Sentence("From the next conversation on (/new): {model}.")

# What there is to choose

USABLE_MODELS = Sentence("I can use: {models}.")
EFFORTS = Sentence("{model} offers these efforts: {efforts}.")
NO_EFFORTS = Sentence("{model} offers no choice of effort.")
HOW_TO_CHOOSE = Sentence(
    "Choose another model or effort for this chat with /model NAME or /effort LEVEL. Write “default” instead to go "
    "back to the usual model or effort."
)

# What is no choice

UNKNOWN_MODEL = Sentence(
    "I do not know the model “{model}”. I can use: {models}. To add another, name it in model.prices of the config."
)
UNKNOWN_MODEL_LIKE = Sentence(
    "I do not know the model “{model}”. Did you mean {nearest}? I can use: {models}. To add another, name it in "
    "model.prices of the config."
)
UNKNOWN_EFFORT = Sentence(
    "{model} does not offer the effort “{effort}”. It offers these: {efforts}. Choose one of them with /effort first."
)

# While a model does not answer

OTHER_MODEL = Sentence(
    "My usual language model doesn't answer right now, so I'm using another one until it answers again."
)
NOT_ANSWERING = Sentence(
    "The model has not begun to answer for {minutes:g} minutes. I keep waiting. /stop ends the wait."
)
TRYING_AGAIN = Sentence("{reason}. I keep trying until the model answers. /stop ends the wait.")
