"""The main window: sidebar, page stack, banners, undo bar, keyboard, drop and paste."""
