"""What a fooled model can reach: goals that an attacker has, the ways their orders come in, and a model that obeys."""
