"""The checks of `retinue doctor`, one module for each place: this machine, the rows, and other servers."""
