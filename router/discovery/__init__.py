"""Discovering what a server offers: its tool list, vetted, and a receipt of what it tried."""
