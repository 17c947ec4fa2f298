"""The toolkit: theme, fonts, icons and the controls every screen is built of."""
