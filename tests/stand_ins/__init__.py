"""Stand-ins for the services that the bot speaks to, each over a real socket."""
