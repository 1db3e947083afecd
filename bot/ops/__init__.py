"""For operators: health, metrics, logs, the checks of `doctor`, and the control socket of a running bot."""
