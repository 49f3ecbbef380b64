import { probeGroup } from "./probe.ts";

/** What /proc and /sys show of the host, and what can be changed there. */
export const PROC_PROBES = probeGroup("proc", [
  [
    "core_pattern",
    "sets the program that the kernel runs after a crash",
    "root",
    `opens /proc/sys/kernel/core_pattern`,
  ],
  [
    "modprobe_path",
    "sets the program that the kernel loads modules with",
    "root",
    `opens /proc/sys/kernel/modprobe /sys/kernel/uevent_helper`,
  ],
  ["sysrq", "sends commands to the kernel with sysrq-trigger", "root", `opens /proc/sysrq-trigger`],
  [
    "binfmt",
    "registers an interpreter for a file format on the host",
    "root",
    `opens /proc/sys/fs/binfmt_misc/register; mkdir -p "$scratch/point"; attempt mount none "$scratch/point" binfmt_misc 0 0`,
  ],
  [
    "sysctl",
    "changes a kernel setting in /proc/sys",
    "root",
    `found=$(find /proc/sys -type f -writable | head -n 1); [ -z "$found" ] || breach "$found can be written"`,
  ],
  [
    "proc_write",
    "writes to a file of /proc that belongs to no process",
    "root",
    `for file in /proc/*; do if [ -f "$file" ] && [ -w "$file" ]; then opens "$file"; fi; done; found=$(find /proc/acpi /proc/bus /proc/fs /proc/irq /proc/scsi -type f -writable | head -n 1); [ -z "$found" ] || breach "$found can be written"`,
  ],
  [
    "sys_write",
    "writes to a file of /sys",
    "root",
    `[ -e /sys/kernel ] || said=absent; found=$(find /sys -type f -writable | head -n 1); [ -z "$found" ] || breach "$found can be written"`,
  ],
  [
    "sys_devices",
    "reads about the host's hardware in /sys",
    "user",
    `[ -e /sys/kernel ] || said=absent; found=$(ls /sys/block /sys/class/net /sys/bus/pci/devices /sys/firmware | head -n 3 | tr '\\n' ' '); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "sys_debug",
    "reads the kernel's debugging files",
    "root",
    `for directory in /sys/kernel/debug /sys/kernel/tracing; do [ -e "$directory" ] || said=absent; attempt mount none "$directory" debugfs 0 0; if ls "$directory" | grep -q .; then breach "$directory can be listed"; fi; done`,
  ],
  ["kernel_memory", "reads the kernel's memory", "root", `reads /proc/kcore /dev/mem /dev/kmem /dev/port`],
  [
    "kernel_addresses",
    "reads kernel addresses",
    "root",
    `if awk '$1 !~ /^0+$/ { found = 1; exit } END { exit !found }' /proc/kallsyms; then breach "kallsyms tells addresses"; fi
if awk -F- '$1 !~ /^ *0+$/ { found = 1; exit } END { exit !found }' /proc/iomem; then breach "iomem tells addresses"; fi`,
  ],
  [
    "kernel_timers",
    "reads kernel statistics that show other processes",
    "root",
    `reads /proc/timer_list /proc/sched_debug /proc/slabinfo /proc/vmallocinfo`,
  ],
  ["kernel_log", "reads the kernel log with a system call", "root", `attempt syslog 10 0 0`],
  [
    "kernel_log_file",
    "reads the kernel log from a file",
    "root",
    `for file in /proc/kmsg /dev/kmsg; do if [ ! -e "$file" ]; then said=absent; elif ( : <"$file" ); then breach "$file can be opened"; fi; done`,
  ],
  [
    "page_map",
    "reads which physical memory it has",
    "root",
    `if perl -e 'open(F, "<:raw", "/proc/self/pagemap") or exit 1; seek(F, int(hex((split /-/, (do { open M, "/proc/self/maps"; <M> }))[0]) / 4096) * 8, 0); read(F, $a, 8) == 8 or exit 1; $v = unpack "Q", $a; exit !(($v >> 63) && ($v & ((1 << 55) - 1)))'; then breach "page frames are told"; fi`,
  ],
  [
    "page_flags",
    "reads the use of all physical memory",
    "root",
    `reads /proc/kpagecount /proc/kpageflags /proc/kpagecgroup`,
  ],
  [
    "keys_listed",
    "lists keys of the host",
    "root",
    `found=$(grep -v -e 'empty$' /proc/keys | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "key_users",
    "lists the users of the host that have keys",
    "root",
    `found=$(grep -v "^ *$(id -u):" /proc/key-users | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "host_environment",
    "reads the environment of a process of the host",
    "root",
    `if cat /proc/[0-9]*/environ | mine host; then breach "it has the mark of the host's process"; fi`,
  ],
  [
    "host_command_line",
    "reads the command line of a process of the host",
    "user",
    `for file in /proc/[0-9]*/cmdline /proc/[0-9]*/comm; do if mine host <"$file"; then breach "$file is the host's"; fi; done`,
  ],
  [
    "init_environment",
    "finds settings of the service in the environment of process 1",
    { never: "the engine determines it; its tests cover it with a secret" },
    `if tr '\\0' '\\n' </proc/1/environ | grep -q -E '^BERTH_|API_KEY|DATABASE'; then breach "process 1 has settings of the service"; fi`,
  ],
  [
    "init_command_line",
    "finds paths of the host in the command line of process 1",
    "root",
    `if tr '\\0' '\\n' </proc/1/cmdline | grep -q -F -e "$host_directory" -e "$service_directory" -e berth-probes; then breach "$(tr '\\0' ' ' </proc/1/cmdline)"; fi`,
  ],
  [
    "host_ports",
    "lists open ports of the host",
    "user",
    `hex=$(printf ':%04X ' "$host_port"); if cat /proc/net/tcp /proc/1/net/tcp /proc/self/net/tcp | grep -q "$hex"; then breach "port $host_port of the host is listed"; fi`,
  ],
  [
    "host_sockets",
    "lists unix sockets of the host",
    "user",
    `if cat /proc/net/unix /proc/1/net/unix | mine host; then breach "the host's socket is listed"; fi`,
  ],
  [
    "host_shared_memory",
    "lists shared memory segments of the host",
    "user",
    `if awk -v key="$host_key" '$1 == key { found = 1 } END { exit !found }' /proc/sysvipc/shm; then breach "the host's segment is listed"; fi`,
  ],
  [
    "host_groups",
    "reads the names of the host's cgroups",
    { never: "a test may run in the root cgroup, which has no name" },
    `found=$(grep -v -e ':/$' /proc/self/cgroup | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
] as const);
