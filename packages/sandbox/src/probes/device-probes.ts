import { group } from "./probe.ts";

const special = (path: string) =>
  `if [ ! -e ${path} ]; then said=absent; elif ( : <${path} ) || ( : <>${path} ); then breach "${path} can be opened"; fi`;

/** Device nodes and terminals. */
export const DEVICE_PROBES = group("devices", [
  [
    "make_character",
    "makes a character device",
    "root",
    `if mknod "$data/node-$tag" c 1 5; then rm -f "$data/node-$tag"; breach "it was made"; fi`,
  ],
  [
    "make_block",
    "makes a block device",
    "root",
    `if mknod "$data/node-$tag" b 7 0; then rm -f "$data/node-$tag"; breach "it was made"; fi`,
  ],
  [
    "block_devices",
    "opens a disk of the host",
    "root",
    `said=absent; for path in $(find /dev -type b); do said=; if ( : <"$path" ); then breach "$path can be opened"; fi; done`,
  ],
  [
    "other_devices",
    "opens a device that no program needs",
    "root",
    `for path in $(find /dev -type c); do case $path in /dev/null | /dev/zero | /dev/full | /dev/random | /dev/urandom | /dev/tty | /dev/ptmx | /dev/console | /dev/pts/* | /dev/kmsg | /dev/watchdog*) ;; *) if [ -r "$path" ]; then breach "$path can be read"; fi ;; esac; done`,
  ],
  ["loop_devices", "attaches a file as a disk", "root", special("/dev/loop-control")],
  ["machines", "starts a virtual machine", "root", special("/dev/kvm")],
  ["fuse", "serves a filesystem of its own", "root", special("/dev/fuse")],
  ["tunnels", "makes a network interface", "root", special("/dev/net/tun")],
  [
    "hypervisor",
    "speaks to the hypervisor by a device",
    "root",
    `for path in /dev/vsock /dev/vhost-vsock /dev/vhost-net; do ${special('"$path"')}; done`,
  ],
  ["input_injection", "types into the terminal of another program", "user", `attempt ioctl 0 0x5412 x`],
  [
    "input_injection_high",
    "types into a terminal by a number that filters take for another",
    "user",
    `attempt ioctl 0 0x100005412 x`,
  ],
  ["console_injection", "pastes into the host's console", "user", `attempt ioctl 0 0x541c x`],
  [
    "line_discipline",
    "has the kernel read a terminal by other rules, for which the host may load a module",
    "user",
    `attempt ioctl 0 0x5423 x`,
  ],
  [
    "terminal",
    "has the terminal that the service was started from",
    { never: "tests run without a terminal" },
    `if ( : </dev/tty ); then breach "there is one"; fi`,
  ],
  [
    "other_terminals",
    "opens the terminal of somebody else",
    { never: "a test's machine has none for sure" },
    `for path in /dev/pts/[0-9]* /dev/tty[0-9]* /dev/ttyS*; do if [ -e "$path" ] && ( : <>"$path" ); then breach "$path can be opened"; fi; done`,
  ],
] as const);
