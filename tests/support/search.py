"""What tests of the search share."""

LANGUAGES = ("english", "german")  # the default of `search_languages`
