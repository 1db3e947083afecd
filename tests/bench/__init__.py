"""What the bot costs in time, memory and money, as ratios in one run: against the bare SDK on the same server.

responder is that server, in a process of its own; rig has the bot and the bare SDK side by side; table holds what comes
out against what it should be. The rest measure: turns, crowd, starting, memory, money, counts.
"""
