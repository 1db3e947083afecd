"""The words with which people agree or refuse when a question can only be answered with yes or no."""

from bot.core.stop_words import normalize_word

YES_WORDS_BY_LANGUAGE = {
    "ar": ("نعم", "أجل", "موافق"),
    "cs": ("ano", "jo", "dobře"),
    "da": ("ja", "okay"),
    "de": ("ja", "ja bitte", "gerne", "einverstanden"),
    "el": ("ναι", "εντάξει"),  # noqa: RUF001 -- Greek letters
    "en": ("yes", "yes please", "y", "yeah", "yep", "sure", "ok", "okay", "go", "go ahead", "please do", "do it"),
    "es": ("sí", "si", "vale", "de acuerdo"),
    "fi": ("kyllä", "joo", "selvä"),
    "fr": ("oui", "d'accord", "vas-y", "allez-y"),
    "hi": ("हाँ", "हां", "जी हाँ", "ठीक है"),
    "hu": ("igen", "rendben"),
    "it": ("sì", "si", "va bene", "d'accordo"),
    "ja": ("はい", "お願いします", "いいよ"),
    "ko": ("네", "예", "응", "좋아"),
    "nl": ("ja", "ja graag", "goed", "akkoord"),
    "no": ("ja", "greit"),
    "pl": ("tak", "zgoda", "dobrze"),
    "pt": ("sim", "pode", "está bem"),
    "ro": ("da", "bine", "de acord"),
    "ru": ("да", "давай", "хорошо", "согласен", "согласна"),
    "sv": ("ja", "ja tack", "gärna"),
    "tr": ("evet", "tamam", "olur"),
    "uk": ("так", "добре", "згоден", "згодна"),
    "vi": ("có", "vâng", "được", "đồng ý"),
    "zh": ("是", "是的", "好", "好的", "可以", "同意"),
}
NO_WORDS_BY_LANGUAGE = {
    "ar": ("لا", "كلا"),
    "cs": ("ne", "ne děkuji"),
    "da": ("nej", "nej tak"),
    "de": ("nein", "nein danke", "nicht", "lieber nicht"),
    "el": ("όχι",),
    "en": ("no", "no thanks", "n", "nope", "don't", "do not", "don't start", "better not"),
    "es": ("no", "no gracias", "mejor no"),
    "fi": ("ei", "ei kiitos"),
    "fr": ("non", "non merci"),
    "hi": ("नहीं", "जी नहीं"),
    "hu": ("nem", "ne"),
    "it": ("no", "no grazie"),
    "ja": ("いいえ", "いや", "だめ"),
    "ko": ("아니요", "아니오", "아니", "안돼"),
    "nl": ("nee", "nee bedankt", "liever niet"),
    "no": ("nei", "nei takk"),
    "pl": ("nie", "nie dziękuję"),
    "pt": ("não", "nao"),
    "ro": ("nu", "nu mulțumesc"),
    "ru": ("нет", "не надо"),
    "sv": ("nej", "nej tack"),
    "tr": ("hayır", "olmaz"),  # noqa: RUF001 -- a Turkish letter
    "uk": ("ні", "не треба"),
    "vi": ("không", "đừng"),
    "zh": ("不", "不要", "不行", "不用", "不好"),
}
ALL_YES_WORDS = frozenset(word for words in YES_WORDS_BY_LANGUAGE.values() for word in words)
ALL_NO_WORDS = frozenset(word for words in NO_WORDS_BY_LANGUAGE.values() for word in words)


def says_yes(text: str) -> bool | None:
    """Return whether the whole message agrees or refuses, in any case and with any signs around it; None if it does
    neither. “Yes?” asks."""
    if text.rstrip().endswith(("?", "\uff1f")):
        return None
    word = normalize_word(text)
    return True if word in ALL_YES_WORDS else False if word in ALL_NO_WORDS else None
