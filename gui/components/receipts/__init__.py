"""What a server tried while its tools were listed."""
