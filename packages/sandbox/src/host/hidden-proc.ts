/**
 * Files of /proc that describe the whole machine, which no namespace hides and no program needs. They reveal
 * its devices and disks and their activity, details of its memory, and the kernel's symbols and boot
 * parameters. They also reveal names of keys that the host has for a sandbox's uid.
 */
export const HIDDEN_FILES = [
  ...[
    "/proc/buddyinfo",
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/consoles",
    "/proc/diskstats",
    "/proc/dma",
  ],
  ...["/proc/interrupts", "/proc/iomem", "/proc/ioports", "/proc/kallsyms", "/proc/kcore", "/proc/key-users"],
  ...["/proc/keys", "/proc/latency_stats", "/proc/mdstat", "/proc/misc", "/proc/modules", "/proc/mtrr"],
  ...["/proc/pagetypeinfo", "/proc/partitions", "/proc/sched_debug", "/proc/schedstat", "/proc/slabinfo"],
  ...["/proc/softirqs", "/proc/swaps", "/proc/timer_list", "/proc/timer_stats", "/proc/vmallocinfo"],
  "/proc/zoneinfo",
] as const;

/** Directories of the same kind. A write to /proc/pressure creates work for the kernel. */
export const HIDDEN_DIRECTORIES = [
  ...["/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/pressure"],
  ...["/proc/scsi", "/proc/tty"],
] as const;
