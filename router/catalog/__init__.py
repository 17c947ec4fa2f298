"""What tools there are and who may see them: pure values and rules, no I/O."""
