"""Running a server that is not trusted yet: sandbox profiles, the launcher that applies them, the
self-test that proves them, and the observations of a server inside.

The launcher's modules (`launcher`, `confined_child`, `seccomp_notify`, `seccomp`, `landlock`,
`bubblewrap`) run in their own process, which must start fast: they import nothing but the
standard library.
"""
