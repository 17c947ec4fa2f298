"""The edges to the desktop: autostart, notifications, URL scheme, single instance, logs."""
