"""The words that stop the turn at work when people type no command."""

STOP_WORDS_BY_LANGUAGE = {
    "ar": ("توقف", "قف"),
    "cs": ("stop", "zastav", "přestaň"),
    "da": ("stop", "stands"),
    "de": ("stop", "stopp", "halt", "abbrechen", "aufhören", "hör auf"),
    "el": ("σταμάτα", "στοπ"),
    "en": ("stop", "halt", "cancel", "abort", "stop it", "stop that", "please stop", "stop please"),
    "es": ("para", "alto", "detente", "cancela", "cancelar", "basta"),
    "fi": ("seis", "lopeta", "pysähdy"),
    "fr": ("stop", "arrête", "arrêtez", "annule", "annuler"),
    "hi": ("रुको", "रुकिए", "बंद करो"),
    "hu": ("állj", "stop", "hagyd abba"),
    "it": ("stop", "ferma", "fermati", "basta", "annulla"),
    "ja": ("ストップ", "止めて", "やめて", "中止"),
    "ko": ("멈춰", "그만", "중지", "정지"),
    "nl": ("stop", "stoppen", "annuleer", "ophouden"),
    "no": ("stopp", "slutt", "avbryt"),
    "pl": ("stop", "przestań", "zatrzymaj", "anuluj"),
    "pt": ("para", "pare", "cancela", "cancelar", "chega"),
    "ro": ("stop", "oprește", "oprește-te"),
    "ru": ("стоп", "остановись", "хватит", "отмена"),
    "sv": ("stopp", "stanna", "avbryt", "sluta"),
    "tr": ("dur", "durdur", "iptal"),
    "uk": ("стоп", "зупинись", "досить"),
    "vi": ("dừng", "dừng lại"),
    "zh": ("停", "停止", "停下", "取消"),
}
ALL_STOP_WORDS = frozenset(word for words in STOP_WORDS_BY_LANGUAGE.values() for word in words)
PUNCTUATION_AROUND_WORD = " \t\n\r.,;:!?¡¿…。\uff01\uff1f*_\"'“”«»"  # these may be around such a word
APOSTROPHE = "\u2019"


def is_stop_word(text: str) -> bool:
    """Return True if the whole message is a stop word, in any case and with any signs around it."""
    return normalize_word(text) in ALL_STOP_WORDS


def normalize_word(text: str) -> str:
    """Return the words of a short message as such tables have them."""
    plain = text.strip(PUNCTUATION_AROUND_WORD).replace(",", " ").replace(APOSTROPHE, "'")
    return " ".join(plain.casefold().split())
