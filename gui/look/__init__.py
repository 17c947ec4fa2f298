"""How everything looks: colours, fonts, icons, and the controls every screen is built of."""
