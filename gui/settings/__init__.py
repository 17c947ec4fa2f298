"""The settings dialog: its pages and how a change is made and taken back."""
