"""What `retinue setup` does: asking, checking as it goes, and writing all at the end or nothing."""
