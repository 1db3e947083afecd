"""What every platform adds to a message for people, in English."""

from bot.core.texts import Text

# The buttons of a board

STOP_ONE = Text("⏹ {number}")
STOP_ALL = Text("⏹ all")
DETAILS = Text("details")
DETAILS_OF = Text("details {number}")

# Before a part that may be there already, where the platform cannot tell

POSSIBLY_A_REPEAT = Text("(possibly a repeat)")

# Why a file that came with a message could not be fetched

FILE_GONE = Text("{platform} does not have this file any more.")
FILE_DELAYED = Text("{platform} is too busy to give me this file now.")
FILE_OUT_OF_REACH = Text("{platform} could not be reached for this file.")
FILE_CUT_OFF = Text("{platform} stopped sending this file before its end.")
FILE_LARGER = Text("This file is larger than {platform} said, so I stopped reading it.")
FILE_REFUSED = Text("{platform} refuses to give me this file.")
FILE_ELSEWHERE = Text("This file lies at an address that is not one of {platform}'s, so I did not fetch it.")
LOCAL_FILE_UNREADABLE = Text("The file {name} is not there, or I am not allowed to read it.")
