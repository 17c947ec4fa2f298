"""What the window and the command line may call, one Protocol per subject, and the events they
receive.
"""
