"""The work of `retinue setup`: ask, check each answer at once, and write everything or nothing at the end."""
