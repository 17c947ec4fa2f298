"""What clients see: the local HTTP endpoint, who may use it, and the tools it offers."""
