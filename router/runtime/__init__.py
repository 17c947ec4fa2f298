"""What every package needs of the process it runs in: tasks, tracing, clock, garbage collection,
local IPC."""
