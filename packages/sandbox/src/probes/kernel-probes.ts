import { probeGroup } from "./probe.ts";

/**
 * Returns a `perf_event_attr` that counts the time of a process.
 *
 * @param excluded Bits of `exclude_kernel` and `exclude_hv`.
 */
const counter = (excluded: string) =>
  `hex:0100000040000000${"01".padEnd(16, "0")}${"00".repeat(24)}${excluded.padEnd(16, "0")}${"00".repeat(16)}`;
const [COUNTER, COUNTER_OF_KERNEL] = [counter("60"), counter("00")];

/** Probes of parts of the kernel that sandboxes do not need and that often had vulnerabilities. */
export const KERNEL_PROBES = probeGroup("kernel", [
  [
    "namespace_user",
    "creates a user namespace, in which it would be root",
    "user",
    `attempt unshare 0x10000000`,
  ],
  ["namespace_mount", "creates a mount namespace", "root", `attempt unshare 0x20000`],
  ["namespace_network", "creates a network namespace", "root", `attempt unshare 0x40000000`],
  ["namespace_pid", "creates a PID namespace", "root", `attempt unshare 0x20000000`],
  ["namespace_ipc", "creates an IPC namespace", "root", `attempt unshare 0x8000000`],
  ["namespace_uts", "creates a UTS namespace", "root", `attempt unshare 0x4000000`],
  ["namespace_cgroup", "creates a cgroup namespace", "root", `attempt unshare 0x2000000`],
  ["namespace_time", "creates a time namespace", "root", `attempt unshare 0x80`],
  ["namespace_clone", "starts a process in a new user namespace", "user", `attempt clone 0x10000011 0 0 0 0`],
  [
    "namespace_clone3",
    "starts a process with clone3, whose arguments filters cannot read",
    "user",
    `attempt clone3 buf:8 0`,
  ],
  [
    "namespace_program",
    "creates a user namespace with the unshare program",
    "user",
    `if unshare --user --map-root-user true; then breach "it is root there"; fi`,
  ],
  ["namespace_enter", "enters a namespace", "user", `attempt setns -1 0`],
  [
    "namespace_enter_init",
    "enters the namespaces of process 1",
    "root",
    `if nsenter --target 1 --mount true; then breach "it is there"; fi`,
  ],
  [
    "host_name",
    "changes the host name",
    "root",
    `attempt sethostname probe 5; attempt setdomainname probe 5`,
  ],
  ["keyring", "uses kernel keyrings", "user", `attempt keyctl 0 -3 1`],
  ["keyring_add", "stores a key in the kernel", "user", `attempt add_key user "probe-$tag" x 1 -4`],
  [
    "keyring_request",
    "requests a key, for which the kernel may run a program of the host",
    "user",
    `attempt request_key user "probe-$tag" 0 0`,
  ],
  [
    "io_uring",
    "creates an io_uring, whose operations no filter sees",
    "user",
    `attempt io_uring_setup 1 buf:120`,
  ],
  [
    "io_uring_enter",
    "uses an io_uring",
    "user",
    `attempt io_uring_enter -1 0 0 0 0 0; attempt io_uring_register -1 0 0 0`,
  ],
  [
    "aio",
    "takes contexts of asynchronous I/O, of which the machine has one table",
    "user",
    `attempt io_setup 1 buf:8`,
  ],
  ["bpf", "loads a BPF program", "root", `attempt bpf 0 buf:72 72`],
  [
    "perf_machine",
    "opens a performance counter of a core of the machine",
    "root",
    `attempt perf_event_open ${COUNTER} -1 0 -1 0`,
  ],
  [
    "perf_kernel",
    "opens a performance counter of the kernel",
    "root",
    `attempt perf_event_open ${COUNTER_OF_KERNEL} 0 -1 -1 0`,
  ],
  [
    "perf_groups",
    "opens a performance counter of a cgroup",
    "root",
    `attempt perf_event_open ${COUNTER} 99 0 -1 4`,
  ],
  [
    "perf_outside",
    "opens a performance counter of a process outside",
    "root",
    `for pid in $(outside "$host_processes,\${neighbour_processes-},\${launcher_processes-}"); do said=$(call perf_event_open ${COUNTER} "$pid" -1 -1 0); case $said in success*) breach "process $pid" ;; esac; done`,
  ],
  ["userfaultfd", "handles its page faults with userfaultfd", "user", `attempt userfaultfd 1`],
  [
    "module_load",
    "loads a kernel module",
    "root",
    `attempt init_module buf:8 0 x; attempt finit_module -1 x 0`,
  ],
  ["module_remove", "removes a kernel module", "root", `attempt delete_module "probe_$tag" 0x800`],
  [
    "kexec",
    "loads another kernel with kexec",
    "root",
    `attempt kexec_load 0 0 0 0x8000; attempt kexec_file_load -1 -1 0 0 0x8000`,
  ],
  ["reboot", "reboots the machine", "root", `attempt reboot 0 0 0 0`],
  [
    "clock",
    "sets the clock",
    "root",
    `attempt settimeofday 0 buf:8; attempt adjtimex hex:00400000${"00".repeat(204)}`,
  ],
  [
    "ports",
    "accesses I/O ports",
    "root",
    `[ "$(uname -m)" = x86_64 ] || untried "only x86_64 has it"; attempt ioperm 128 1 1; attempt iopl 3`,
  ],
  [
    "descriptor_table",
    "changes the local descriptor table",
    "user",
    `[ "$(uname -m)" = x86_64 ] || untried "only x86_64 has it"; attempt modify_ldt 0 buf:16 16`,
  ],
  [
    "memory_policy",
    "changes the NUMA memory policy",
    "user",
    `attempt set_mempolicy 0 0 0; attempt get_mempolicy 0 0 0 0 0; attempt mbind 0 0 0 0 0 0`,
  ],
  [
    "old_calls",
    "makes obsolete system calls",
    "user",
    `attempt ustat 0 buf:32; attempt sysfs 3; attempt uselib "$data/none"`,
  ],
] as const);
