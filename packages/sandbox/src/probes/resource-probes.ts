import { probeGroup } from "./probe.ts";

const WITHOUT_CAPABILITY = { never: "root lacks the capability for it in many containers" } as const;

/** Processes outside that may be in a sandbox's own cgroup: those that started it. */
const MOST_OUTSIDE = 4;

export const RESOURCE_PROBES = probeGroup("resources", [
  [
    "open_files",
    "raises its limit of open files",
    WITHOUT_CAPABILITY,
    `hard=$(ulimit -H -n); [ "$hard" != unlimited ] || breach "there is none"; if ( ulimit -H -n $((hard + 1)) ); then breach "it was raised"; fi`,
  ],
  [
    "open_files_shared",
    "may fill the machine's table of open files with all its processes",
    { never: "many machines have a table that no limit can fill" },
    `hard=$(ulimit -H -n); table=$(cat /proc/sys/fs/file-max); pids=$(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max | grep -x '[0-9]*' | head -n 1); [ "$hard" != unlimited ] || breach "its processes have no limit"
[ "$((hard * \${pids:-256}))" -le "$table" ] || breach "$hard files each, $pids processes, and the machine has $table"`,
  ],
  [
    "terminals",
    "takes more pseudoterminals than its share",
    "user",
    `count=$(perl -e 'for (1 .. 200) { open(my $terminal, "+<", "/dev/ptmx") or last; push @open, $terminal } print scalar @open'); [ "$count" -lt 128 ] || breach "$count are open"`,
  ],
  [
    "core_files",
    "may have core files written that a program or a directory of the host receives",
    WITHOUT_CAPABILITY,
    `pattern=$(cat /proc/sys/kernel/core_pattern); case $pattern in '' | '|'* | */*) [ "$(ulimit -H -c)" = 0 ] || breach "core files go to $pattern"; if ( ulimit -H -c 100 ); then breach "the limit was raised"; fi ;; *) said=$pattern ;; esac`,
  ],
  [
    "spared_when_full",
    "lowers its out-of-memory score",
    WITHOUT_CAPABILITY,
    `if ( echo -500 >/proc/self/oom_score_adj ); then breach "its score is below others'"; fi`,
  ],
  [
    "groups_listed",
    "lists cgroups other than its own",
    "user",
    `[ -e /sys/fs/cgroup ] || said=absent; for file in $(find -L /sys/fs/cgroup -maxdepth 6 -name cgroup.procs); do
group=\${file%/*}; [ ! -e "\${group%/*}/cgroup.procs" ] || breach "$group"
outside=$(grep -c -x 0 "$file"); [ "$outside" -le ${MOST_OUTSIDE} ] || breach "$outside processes outside are in $group"; done`,
  ],
  [
    "groups_named",
    "reads the name of its cgroup on the host in its table of mounts",
    { never: "a test may run in the root cgroup, which has no name" },
    `found=$(awk '/ - cgroup2? / && $4 != "/" { print $4; exit }' /proc/self/mountinfo); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "groups_others",
    "finds the cgroup of another session",
    { never: "a test may run in the root cgroup, above which nothing is" },
    `[ -e /sys/fs/cgroup ] || said=absent; for directory in /sys/fs/cgroup/.. /sys/fs/cgroup/*/..; do found=$(find "$directory" -maxdepth 3 -name 'berth-*' 2>/dev/null | head -n 1); [ -z "$found" ] || breach "$found"; done; mkdir -p "$scratch/point"; for version in cgroup cgroup2; do attempt mount none "$scratch/point" $version 0 0; done`,
  ],
  [
    "release_agent",
    "sets the program that the kernel runs when a cgroup becomes empty",
    "root",
    `said=absent; for file in $(find -L /sys/fs/cgroup -maxdepth 6 -name release_agent -o -maxdepth 6 -name notify_on_release); do said=; opens "$file"; done`,
  ],
  [
    "groups_events",
    "has the kernel report events of a cgroup",
    "root",
    `said=absent; for file in $(find -L /sys/fs/cgroup -maxdepth 6 -name cgroup.event_control | head -n 20); do said=; opens "$file"; done`,
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
