"""The live list of what apps did."""
