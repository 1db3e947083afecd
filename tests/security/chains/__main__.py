"""Play chains against the whole bot: none may end in an act of the attacker's that nobody has agreed to.

python -m tests.security.chains              10,000 chains; exits with 1 if one has found a hole
python -m tests.security.chains 500 7        500 chains from number 7 on
python -m tests.security.chains find brief   the first hole of a chain with this word; exits with 1 if there is none
python -m tests.security.chains weakened     weaken each rule of flow in a copy of the bot, and find that
"""

import sys
from itertools import zip_longest

from tests.security.chains.runner import find_and_print, play_and_print, weaken_and_print

CHAINS = 10_000


def main(words: list[str]) -> int:
    if words[:1] == ["weakened"]:
        return weaken_and_print(" ".join(words[1:]))
    if words[:1] == ["find"]:
        return find_and_print(" ".join(words[1:]))
    count, first = (int(given) if given else usual for given, usual in zip_longest(words, (CHAINS, 0)))
    return play_and_print(range(first, first + count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
