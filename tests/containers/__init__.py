"""Tenants in real containers: an engine of the tests' own, the image built of this checkout, and what it shuts in."""
