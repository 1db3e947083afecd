"""Published servers, skills and agents, unchanged, and planted malicious ones: what works, and what they reach."""
