"""New processes without their imports, which take longer than most commands: each is forked from a server that has
imported what bots and commands need. The server begins with the first of them."""

import multiprocessing

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.support.preloaded", "tests.rig.process"])
