import { probeGroup } from "./probe.ts";

const NEIGHBOUR =
  'if printf %s "$answer" | mine neighbour; then breach "the other session\'s server answered"; fi';

/** Probes of objects of another session on the same machine. */
export const SESSION_PROBES = probeGroup("sessions", [
  [
    "neighbour_file",
    "finds a file of another session",
    "user",
    `found=$(grep -r -a -l "neighbour[-]$tag" "$data" "$scratch" "$neighbour_directory" /var/tmp /dev/shm /mnt/session/outputs /home/agent | head -n 1); [ -z "$found" ] || breach "$found"`,
  ],
  [
    "neighbour_process",
    "lists a process of another session",
    "user",
    `for file in /proc/[0-9]*/cmdline /proc/[0-9]*/comm; do if mine neighbour <"$file"; then breach "$file is the other session's"; fi; done`,
  ],
  [
    "neighbour_environment",
    "reads the environment of another session's process",
    "user",
    `if cat /proc/[0-9]*/environ | mine neighbour; then breach "it has the mark of the other session"; fi`,
  ],
  [
    "neighbour_signal",
    "sends a signal to a process of another session",
    "user",
    `for directory in /proc/[0-9]*; do if tr '\\0' ' ' <"$directory/cmdline" | mine neighbour && kill -0 "\${directory##*/}"; then breach "\${directory##*/} can be reached"; fi; done`,
  ],
  [
    "neighbour_memory",
    "opens the memory of another session's process",
    "user",
    `for directory in /proc/[0-9]*; do if tr '\\0' ' ' <"$directory/cmdline" | mine neighbour; then opens "$directory/mem"; fi; done`,
  ],
  [
    "neighbour_root",
    "reads another session's files through its processes",
    "user",
    `for root in /proc/[0-9]*/root /proc/[0-9]*/cwd; do reads "$root/neighbour-$tag" "$root$neighbour_directory/neighbour-$tag"; done`,
  ],
  [
    "neighbour_server",
    "connects to a server of another session",
    "user",
    `answer=$(ask tcp 127.0.0.1 "$neighbour_port"); ${NEIGHBOUR}`,
  ],
  [
    "neighbour_abstract",
    "connects to an abstract unix socket of another session",
    "user",
    `answer=$(ask unix "@neighbour-$tag"); ${NEIGHBOUR}`,
  ],
  [
    "neighbour_unix",
    "connects to a unix socket of another session by its path",
    "user",
    `answer=$(ask unix "$neighbour_directory/neighbour-$tag.socket"); ${NEIGHBOUR}`,
  ],
  [
    "neighbour_segment",
    "finds another session's shared memory segment",
    "user",
    `attempt_shm() { said=$(call shmget "$1" 0 0); case $said in success*) breach "segment $1 was found" ;; esac; }; attempt_shm "$neighbour_key"`,
  ],
  [
    "host_segment",
    "finds a shared memory segment of the host",
    "user",
    `said=$(call shmget "$host_key" 0 0); case $said in success*) breach "segment $host_key was found" ;; esac`,
  ],
  [
    "neighbour_shared_file",
    "opens another session's shared memory file",
    "user",
    `reads "/dev/shm/neighbour-$tag"`,
  ],
  ["host_shared_file", "opens a shared memory file of the host", "user", `reads "/dev/shm/host-$tag"`],
  [
    "neighbour_key",
    "finds a key that another session stored in the kernel",
    "user",
    `attempt keyctl 10 -4 user "neighbour-$tag" 0; if cat /proc/keys | mine neighbour; then breach "its key is listed"; fi`,
  ],
  [
    "neighbour_disk",
    "finds the host path of another session's disk",
    "user",
    `found=$(grep -h -F -e "$neighbour_disk" /proc/[0-9]*/mountinfo /proc/[0-9]*/mounts | head -n 1); [ -z "$found" ] || breach "it stands in the mount table"; if ls "$neighbour_disk" | grep -q .; then breach "it can be listed"; fi`,
  ],
] as const);
