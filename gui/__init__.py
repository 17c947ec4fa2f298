"""The window, the tray and the dialogs: everything a person sees of Toolbooth."""
