"""Attempts of people and groups to read or change what is each other's."""
