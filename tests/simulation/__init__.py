"""The whole bot in one process, on virtual time: the seed decides every order, delay, fault and kill."""
