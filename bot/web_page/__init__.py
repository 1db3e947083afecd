"""The page in a browser: conversations, delegations and figures, for the owner, on this machine.

It runs in a process of its own, so that nobody's answer waits for it. It reads the rows, and changes them only by
orders to the running bot. `application.py` lists the addresses, and `protection.py` says who may ask for them.
"""
