"""A month of a family on both platforms: 200 situations over sockets, 40 with a real kill, on a clock that moves.

`situations.md` and `foreign_situations.md` list what happens. `python -m tests.month` plays all of it, and
`test_month.py` a short slice.
"""
