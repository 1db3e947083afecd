"""What operators are told of the model's server: faults and what to do about them, and lines of the log."""

from bot.core.texts import Text

# Faults of the key, the account or the settings

KEY_REFUSED = Text("{server} refused the API key")
KEY_NOT_LET_IN = Text("{server} gives this API key no access: {complaint}")
KEY_NOT_POSSIBLE = Text("model.api_key contains a character that an API key cannot contain; copy the key again")
SPENDING_LIMIT_REACHED = Text("the spending limit of the account at {server} is reached")
NO_CREDIT = Text("the account at {server} has no credit left")
NO_SUCH_MODEL = Text("{server} has no model {model!r}")
NO_SUCH_EFFORT = Text("{model} does not offer the effort {efforts}; it offers {known}")
NO_EFFORTS = Text("no effort levels")
NO_TOOLS_FOR_THE_WEB = Text(
    "{server} does not offer the tools that search and read the web: {complaint} (with web.run_here set to “always”, "
    "this bot runs them)"
)
NO_MESSAGES_API = Text("{server} does not support Anthropic's Messages API")
REQUEST_NOT_ACCEPTED = Text("{server} did not accept the request: {complaint}")
UNNAMED_ERROR = Text("error {status}")

# Faults that may pass

RATE_LIMITED = Text("the rate limit of {server} is reached")
OVERLOADED = Text("{server} is overloaded")
IN_TROUBLE = Text("{server} has an internal problem")
IN_TROUBLE_WITH_STATUS = Text("{server} has an internal problem (error {status})")
SILENT = Text("{server} does not answer")
UNREACHABLE = Text("{server} cannot be reached")

# What to do

SET_KEY = Text("set model.api_key in the config, or ANTHROPIC_API_KEY")
SET_MODEL = Text("set model.lead or model.roles in the config")
SET_EFFORT = Text("set model.effort in the config, or effort in the role's file")
SET_URL = Text("check model.base_url in the config")
SET_WEB = Text("set the setting web to false in the config")
RAISE_LIMIT = Text("the owner of the account can raise its spending limit")
ADD_CREDIT = Text("the owner of the account can add credit")
CHECK_NETWORK = Text("check the network")

# What the server is called

OTHER_SERVER = Text("the model server at {address}")

# In the log, with the logger's own placeholders

ASKED_WITHOUT = Text("%s: from now on, requests to %s leave out %s")
PARTS = {
    "SUBSTITUTES": Text("the substitute model for declined requests"),
    "REMINDERS": Text("messages with the role system"),
    "THINKING": Text("adaptive thinking"),
    "WEB": Text("tools for the web"),
    "MARKS": Text("the marks that cache the prompt (cache_control)"),
}
DECLINED = Text("%s: the model %s declined a request (refusal category %s)")
DECLINED_WITHOUT_CATEGORY = Text("%s: the model %s declined a request, and named no refusal category")
SUBSTITUTE_ANSWERED = Text("%s: the model %s declined a request, and the substitute model %s answered it")
SUBSTITUTE_TOO_DEAR = Text(
    "%s: the substitute model %s is too expensive, so from now on requests to %s name no substitute model"
)
SUBSTITUTE_STOPPED = Text(
    "%s: a substitute model was continuing a reply, but had to stop: the money reserved for that reply was used up"
)
MEDIA_LEFT_OUT = Text("chapter %s of a conversation: an image or a PDF is left out, because %s cannot read it")
THINKING_LEFT_OUT = Text(
    "chapter %s of a conversation: the server refuses the model's earlier thinking, so requests leave thinking out "
    "from block %s on (the numbers of the message and the block)"
)
SDK_NEEDS_ALL = Text("this release of Claude's SDK needs all its modules, so it takes twice the memory: %s")
UNKNOWN_STOP = Text("the model stopped for an unknown reason: %s")
ARGUMENTS_NOT_JSON = Text("%s: the arguments of a tool call are not a JSON object")
REPLY_BROKE_OFF = Text("%s: a reply of the model broke off: %s")
BROKE_OFF_HERE = Text("the error that broke off the model's reply:")
NO_SUCH_MODEL_IN_CONFIG = Text("%s has no model %r: check model.lead, model.roles and the models of your roles")
NOT_ASKED_ABOUT_MODEL = Text("%s could not be asked about the model %r: %s")
MODEL_IS_OLD = Text("the model %r has the lifecycle status %s")
MODEL_ENDS = Text("the model %r has the lifecycle status %s; its retirement date is %s")
