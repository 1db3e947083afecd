"""The stand-ins themselves under test: that they are as strict as what they stand for."""
