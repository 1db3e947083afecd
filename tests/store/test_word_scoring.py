"""How words are split and weighed: the fewer texts hold a word, the more it tells."""

from bot.store.word_scoring import freshness_factor, score_text_for_words, split_into_words, weigh_words_by_rarity


def test_words_are_folded_and_signs_are_none() -> None:
    assert split_into_words("Zoë's Café, 東京! 🎉") == ["zoe", "s", "cafe", "東", "京"]


def test_a_rare_word_weighs_more() -> None:
    weighed = weigh_words_by_rarity({"the": range(10), "passport": [3]})
    assert weighed["passport"] > weighed["the"] > 0


def test_a_whole_word_counts_more_than_the_beginning_of_one() -> None:
    weighed = {"cat": 1.0}
    assert score_text_for_words(" a cat ", weighed, 3.0) > score_text_for_words(" a catalogue ", weighed, 3.0) > 0
    assert score_text_for_words(" a dog ", weighed, 3.0) == 0


def test_what_is_fresh_counts_up_to_twice() -> None:
    assert freshness_factor(0) == 2
    assert 1 < freshness_factor(1_000) < freshness_factor(10) < 2
