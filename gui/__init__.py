"""The desktop application: window, tray and dialogs."""
