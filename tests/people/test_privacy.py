"""What `/privacy` says of back-ups: they are the exception of what is deleted."""

import pytest

from bot.core.languages import speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.texts import people_accounts


@pytest.mark.parametrize(("code", "backups"), [("en", "back-ups"), ("de", "Sicherungen")])
def test_privacy_names_back_ups_as_the_exception(code: str, backups: str) -> None:
    language = BUILT_IN_LANGUAGES.get(code)
    assert language
    with speaking(language):
        told = people_accounts.PRIVACY(kept=people_accounts.KEPT_FOREVER())
    assert backups in told.partition("/forget everything")[2]
