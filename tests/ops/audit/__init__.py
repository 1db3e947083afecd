"""Tests of the audit of `retinue doctor --audit`."""
