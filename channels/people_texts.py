"""What every platform adds to a message for people, in English."""

from bot.core.texts import Sentence

# The buttons of a board

STOP_ONE = Sentence("⏹ {number}")
STOP_ALL = Sentence("⏹ all")
DETAILS = Sentence("details")
DETAILS_OF = Sentence("details {number}")

# Before a part that may be there already, where the platform cannot tell

POSSIBLY_A_REPEAT = Sentence("(possibly a repeat)")

# Why a file that came with a message could not be fetched

FILE_GONE = Sentence("{platform} does not have this file any more.")
FILE_DELAYED = Sentence("{platform} is too busy to give me this file now.")
FILE_OUT_OF_REACH = Sentence("{platform} could not be reached for this file.")
FILE_CUT_OFF = Sentence("{platform} stopped sending this file before its end.")
FILE_LARGER = Sentence("This file is larger than {platform} said, so I stopped reading it.")
FILE_REFUSED = Sentence("{platform} refuses to give me this file.")
FILE_ELSEWHERE = Sentence("This file lies at an address that is not one of {platform}'s, so I did not fetch it.")
LOCAL_FILE_UNREADABLE = Sentence("The file {name} is not there, or I am not allowed to read it.")
