"""Why a page could not be fetched, as a clause for the model and for people."""

from bot.core.texts import Plural, Text

NOT_A_WEB_ADDRESS = Text("{address} is no web address; it must begin with https:// or http://")
HAS_CREDENTIALS = Text("{address} contains a name or a password; only addresses without them are fetched")
HAS_STRANGE_CHARACTERS = Text("{address} contains characters that no web address has")
PORT_NOT_ALLOWED = Text("{address} names port {port}, but only the ports {ports} are fetched from")
NOT_PUBLIC = Text("{host} is not on the public internet, and only public addresses are fetched")
DOMAIN_NOT_ALLOWED = Text("{host} is not among the sites that the operator of this bot allows")
NAME_UNKNOWN = Text("no address is known for {host}")
CANNOT_CONNECT = Text("{host} cannot be reached")
BROKEN_OFF = Text("{host} did not send the page whole")
TOO_SLOW = Text("{host} took longer than {seconds:g} s")
TOO_LARGE = Text("{address} has more than {most:,} bytes")
ANSWERED_STATUS = Text("{host} answered with the status {status}")
TOO_MANY_REDIRECTS = Plural(
    "{address} leads on to other addresses more than {count} time",
    "{address} leads on to other addresses more than {count} times",
)
REDIRECT_WITHOUT_ADDRESS = Text("{host} leads on to another address, but does not say to which")
WRONG_TYPE = Text("{address} is of the type {type}, and only texts and web pages are read")
UNKNOWN_ENCODING = Text("{host} packs the page in a way that was not asked for: {encoding}")
PACKED_BADLY = Text("{host} sent a page that cannot be unpacked")
PAGE_UNREADABLE = Text("the text of {address} cannot be found: {reason}")
