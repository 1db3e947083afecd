"""Stand-ins for the services that the bot uses, each over a real socket."""
