"""Running a server we don't trust yet: sandboxes, the launcher that applies them, the proof that
they hold, and what was seen of the server inside.

The launcher's side (`launcher`, `confining`, `watching`, `seccomp`, `landlock`, `bubblewrap`) runs
in a process of its own, which must start fast: it imports nothing but the standard library.
"""
