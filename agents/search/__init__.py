"""`search`: the open-hand solver, the belief over hidden hands, and the agent that plays by both."""
