"""A month of a family on both platforms: 200 situations over sockets, 40 with a real kill, on a clock that moves.

`situations.md` and `foreign_situations.md` list what happens. `python -m tests.month` plays all of it, with
`--language de` in German, and `test_month.py` plays a short slice. `judging.py` looks at each situation, `books.py`
at the whole month, and `english.py` at what is said in a German one. docs/reliability.md shows what a run prints.
"""
