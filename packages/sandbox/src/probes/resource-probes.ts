import { probeGroup } from "./probe.ts";

const WITHOUT_CAPABILITY = { never: "root lacks the capability for it in many containers" } as const;

export const RESOURCE_PROBES = probeGroup("resources", [
  [
    "open_files",
    "raises its limit of open files",
    WITHOUT_CAPABILITY,
    `hard=$(ulimit -H -n); [ "$hard" != unlimited ] || breach "there is none"; if ( ulimit -H -n $((hard + 1)) ); then breach "it was raised"; fi`,
  ],
  [
    "open_files_shared",
    "may fill the machine's table of open files with the processes that a session has by default",
    { never: "many machines have a table that no limit can fill" },
    `hard=$(ulimit -H -n); table=$(cat /proc/sys/fs/file-max); [ "$hard" != unlimited ] || breach "its processes have no limit"; [ "$((hard * 512))" -le "$table" ] || breach "$hard files each, and the machine has $table"`,
  ],
  [
    "terminals",
    "takes more pseudoterminals than its share",
    "user",
    `count=$(perl -e 'for (1 .. 200) { open(my $terminal, "+<", "/dev/ptmx") or last; push @open, $terminal } print scalar @open'); [ "$count" -lt 128 ] || breach "$count are open"`,
  ],
  [
    "core_files",
    "raises its limit of core files",
    WITHOUT_CAPABILITY,
    `[ "$(ulimit -H -c)" = 0 ] || breach "files of $(ulimit -H -c) blocks are allowed"; if ( ulimit -H -c 100 ); then breach "the limit was raised"; fi`,
  ],
  [
    "spared_when_full",
    "lowers its out-of-memory score",
    WITHOUT_CAPABILITY,
    `if ( echo -500 >/proc/self/oom_score_adj ); then breach "its score is below others'"; fi`,
  ],
  [
    "groups_listed",
    "reads the cgroups of the host",
    "user",
    `[ -e /sys/fs/cgroup ] || said=absent; found=$(find /sys/fs/cgroup -name cgroup.procs | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "groups_changed",
    "leaves its cgroup or changes its limits",
    "root",
    `[ -e /sys/fs/cgroup ] || said=absent; found=$(find /sys/fs/cgroup -type f -writable | head -n 1); [ -z "$found" ] || breach "$found can be written"; mkdir -p "$scratch/point"; attempt mount none "$scratch/point" cgroup2 0 0`,
  ],
  [
    "priority",
    "raises its priority",
    "root",
    `if [ "$(nice -n -20 nice)" -lt 0 ]; then breach "its priority was raised"; fi`,
  ],
  ["real_time", "gets real-time scheduling", "root", `if chrt -f 1 true; then breach "it is"; fi`],
  ["disk_priority", "raises its I/O priority", "root", `if ionice -c 1 true; then breach "it does"; fi`],
] as const);
