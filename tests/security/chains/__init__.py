"""Chains: programs of an attacker whose words travel. Somebody else's words reach a model that obeys what it reads. It
passes them on by one carrier after the other, and somebody who reads them at last does the act."""
