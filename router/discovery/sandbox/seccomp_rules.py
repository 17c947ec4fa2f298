"""What the seccomp filters allow, forbid and report, for each level.

What a filter forbids depends on registers alone, so a program can't change it between check and
use. At level 2 the filter is an allow-list: a call that is not named here, also one that a later
kernel adds, does not exist for the server. At level 3 namespaces hide everything outside, and the
filter only forbids what they leave open.
"""

from __future__ import annotations

import errno

from router.discovery.sandbox.seccomp import (
    ALLOW,
    AND,
    JUMP_EQUAL,
    USER_NOTIF,
    Instruction,
    Rule,
    argument,
    fail_with,
    if_bits,
    returning,
    unless_one_of,
    unless_zero,
)

UNKNOWN_CALL = fail_with(errno.ENOSYS)
_FORBIDDEN = fail_with(errno.EPERM)

_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_NETLINK_ROUTE = 0
_TYPE_MASK, _STREAM = 0xF, 1
_FAST_OPEN = 0x20000000
_NEW_NAMESPACES = 0x7E020080
"""All the CLONE_NEW flags."""
_THIS_THREAD = 0
_OF_A_PROCESS, _IO_OF_A_PROCESS = 0, 1
"""PRIO_PROCESS, IOPRIO_WHO_PROCESS."""

_HARMLESS = {
    "files, which Landlock restricts": """
        access chdir close close_range copy_file_range dup dup2 dup3 faccessat faccessat2 fadvise64
        fallocate fchdir fdatasync flock fstat fstatfs fsync ftruncate getcwd getdents getdents64
        link linkat lseek lstat mkdir mkdirat mknod mknodat newfstatat pread64 preadv preadv2
        pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv rename renameat renameat2
        rmdir sendfile splice stat statfs statx symlink symlinkat sync_file_range tee truncate umask
        unlink unlinkat vmsplice write writev""",
    "its own memory": """
        brk get_mempolicy madvise mbind membarrier memfd_create mincore mlock mlock2 mlockall mmap
        mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect
        set_mempolicy""",
    "its own processes and threads": """
        arch_prctl exit exit_group futex futex_requeue futex_wait futex_waitv futex_wake getcpu
        map_shadow_stack pidfd_open prctl restart_syscall rseq sched_yield seccomp set_robust_list
        set_tid_address wait4 waitid""",
    "its own signals": """
        pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait
        sigaltstack signalfd signalfd4""",
    "time": """
        alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer
        time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
        timerfd_gettime timerfd_settime times""",
    "waiting": """
        epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2
        inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents
        io_setup io_submit pipe pipe2 poll ppoll pselect6 select""",
    "sockets, which can't connect": """
        accept accept4 bind getpeername getsockname getsockopt recvfrom recvmmsg recvmsg setsockopt
        shutdown socketpair""",
    "questions about itself and the system": """
        capget getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority
        getrandom getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get
        sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
        sched_getparam sched_getscheduler sched_rr_get_interval setrlimit sysinfo uname""",
}

# Of a descriptor's owner (F_SETOWN, F_SETSIG) and of leases and folders the kernel signals anyone.
_FCNTL_COMMANDS = (*range(8), 9, 11, 16, 36, 37, 38, 1025, 1027, *range(1030, 1037))
# Questions to terminals and network interfaces, and FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FICLONE.
_IOCTL_REQUESTS = (
    *(0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A, 0x40049409),
    *(0x8910, 0x8912, 0x8913, 0x8915, 0x8919, 0x891B, 0x8921, 0x8927, 0x8933),
)


def observation_rules() -> dict[str, Rule]:
    """Reported at every level: files, peers, programs, new processes."""
    notified = (
        "open openat openat2 creat connect sendto sendmsg sendmmsg execve execveat clone fork vfork"
    ).split()
    # Without clone3 and io_uring, programs use calls whose arguments can be read.
    return {
        **dict.fromkeys(notified, USER_NOTIF),
        **dict.fromkeys(("clone3", "io_uring_setup"), UNKNOWN_CALL),
    }


def bubblewrap_rules() -> dict[str, Rule]:
    """Forbidden inside bubblewrap: no server needs these to list its tools."""
    names = (
        "ptrace unshare setns mount umount2 pivot_root chroot bpf keyctl add_key request_key "
        "perf_event_open userfaultfd open_by_handle_at"
    ).split()
    # No namespace separates some families (AF_VSOCK): with them it could reach the host.
    families = (_UNIX, _INET, _INET6, _NETLINK)
    return {
        **dict.fromkeys(names, _FORBIDDEN),
        "clone3": UNKNOWN_CALL,
        "clone": if_bits(0, _NEW_NAMESPACES, _FORBIDDEN),
        "socket": unless_one_of(0, families, fail_with(errno.EAFNOSUPPORT)),
    }


def landlock_rules(*, network: bool, landlock_version: int) -> dict[str, Rule]:
    """Everything a server can call beside Landlock, which covers neither all sockets nor other
    processes nor file attributes. Forbidden are, among others: connections, changes to other
    processes, shared memory, watching files and changing those it can only read. What is not in
    the rules gets `UNKNOWN_CALL`."""
    refused = (
        "setsid setpgid chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes "
        "utimensat futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr "
        "process_vm_readv process_vm_writev pidfd_send_signal pidfd_getfd shmget shmat msgget "
        "semget mq_open sched_setaffinity sched_setattr sched_setparam sched_setscheduler"
    ).split()
    attributes = "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr".split()
    signals = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo".split()
    harmless = (name for names in _HARMLESS.values() for name in names.split())
    rules: dict[str, Rule] = {
        **dict.fromkeys(harmless, ALLOW),
        **observation_rules(),
        **bubblewrap_rules(),
        **dict.fromkeys(refused, _FORBIDDEN),
        **dict.fromkeys(attributes, fail_with(errno.EOPNOTSUPP)),
        **dict.fromkeys(signals, USER_NOTIF),
        "clone": [*if_bits(0, _NEW_NAMESPACES, _FORBIDDEN), returning(USER_NOTIF)],
        "socket": _socket_rule(network=network),
        "fcntl": unless_one_of(1, _FCNTL_COMMANDS, fail_with(errno.EINVAL)),
        "ioctl": unless_one_of(1, _IOCTL_REQUESTS, fail_with(errno.ENOTTY)),
        "inotify_add_watch": fail_with(errno.EACCES),
        "prlimit64": unless_one_of(0, [_THIS_THREAD], _FORBIDDEN),
        "setpriority": _of_this_thread(_OF_A_PROCESS),
        "ioprio_set": _of_this_thread(_IO_OF_A_PROCESS),
        # Without a preceding `bind`, which Landlock restricts, the kernel chooses the port.
        "listen": ALLOW if network else fail_with(errno.EACCES),
    }
    if landlock_version < 3:  # it does not restrict truncation by path yet
        rules["truncate"] = _FORBIDDEN
    if not network:
        fast_open = fail_with(errno.EACCES)
        rules["sendto"] = unless_zero(4, fast_open)
        rules["sendmsg"] = if_bits(2, _FAST_OPEN, fast_open)
        rules["sendmmsg"] = if_bits(3, _FAST_OPEN, fast_open)
    return rules


def _of_this_thread(kind: int) -> list[Instruction]:
    """Of a call that names processes by kind and number."""
    return [
        *unless_one_of(0, [kind], _FORBIDDEN),
        *unless_one_of(1, [_THIS_THREAD], _FORBIDDEN),
    ]


def _socket_rule(*, network: bool) -> list[Instruction]:
    """Streams are allowed: they reach nothing without `connect`. Datagrams need no `connect`, so
    creating such a socket for the internet is reported and refused."""
    datagram = ALLOW if network else USER_NOTIF
    unknown = fail_with(errno.EAFNOSUPPORT)
    return [
        argument(0),
        Instruction(JUMP_EQUAL, _NETLINK, 0, 4),
        argument(2),
        Instruction(JUMP_EQUAL, _NETLINK_ROUTE, 1, 0),
        returning(unknown),
        returning(ALLOW),
        Instruction(JUMP_EQUAL, _UNIX, 0, 4),
        argument(1),
        Instruction(AND, _TYPE_MASK),
        Instruction(JUMP_EQUAL, _STREAM, 0, 6),
        returning(ALLOW),
        Instruction(JUMP_EQUAL, _INET, 1, 0),
        Instruction(JUMP_EQUAL, _INET6, 0, 3),
        argument(1),
        Instruction(AND, _TYPE_MASK),
        Instruction(JUMP_EQUAL, _STREAM, 1, 2),
        returning(unknown),
        returning(ALLOW),
        returning(datagram),
    ]
