"""What `retinue doctor` looks at, a module per place: the machine, the rows, and what can only be asked elsewhere."""
