"""Deployments, one for each tenant: their folders, and what makes, runs and looks after them.

It knows the settings and nothing else of the bot: what a tenant's bot does is asked of that bot's own command.
"""
