"""Files that people send or that lie in the workspace: what each is, and what of it a model can see or read."""
