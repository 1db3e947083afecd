"""What operators read of Toy."""

from bot.core.texts import Text

ADDRESS_EXAMPLE = Text("toy:den, the name of a room (toy:p7: of the person 7)")
ABOUT_TOKEN = Text("A bot and its token are made in Toy: write “new bot” in the room makers.")
TOKEN_QUESTION = Text("Token (not shown while you type; Enter: continue without one):")
TOKEN_FORM = Text("channels.toy.token has another form: a number, -, letters; copy it again from the room makers")
TOKEN_REFUSED = Text("Toy refuses the token (channels.toy.token); copy it again from the room makers")
OUT_OF_REACH = Text("Toy cannot be reached ({reason})")
THIS_IS = Text("  this is {name}")
MAKER_IS_OWNER = Text("{name} made the bot. Is that the owner?")
ANSWERS = Text("toy: {name} answers")
NO_FILES = Text("Toy has no files.")
