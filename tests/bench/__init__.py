"""What the bot costs in time, memory and money, as ratios in one run: against the bare SDK on the same server.

responder is that server, in a process of its own, and standin a platform in one; platform tells its people what to
write, and shipped has the channels. rig has the bot and the bare SDK side by side; table holds what comes out against
what it should be. The rest measure: turns, platforms, ingest, crowd, starting, memory, channels (whose bot is alone),
scale, money, counts.
"""
