import { probeGroup } from "./probe.ts";

const special = (path: string) =>
  `if [ ! -e ${path} ]; then said=absent; elif ( : <${path} ) || ( : <>${path} ); then breach "${path} can be opened"; fi`;

export const DEVICE_PROBES = probeGroup("devices", [
  [
    "make_character",
    "creates a character device",
    "root",
    `if mknod "$data/node-$tag" c 1 5; then rm -f "$data/node-$tag"; breach "it was made"; fi`,
  ],
  [
    "make_block",
    "creates a block device",
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
    "opens a device that programs do not need",
    "root",
    `for path in $(find /dev -type c); do case $path in /dev/null | /dev/zero | /dev/full | /dev/random | /dev/urandom | /dev/tty | /dev/ptmx | /dev/console | /dev/pts/* | /dev/kmsg | /dev/watchdog*) ;; *) if [ -r "$path" ]; then breach "$path can be read"; fi ;; esac; done`,
  ],
  ["loop_devices", "attaches a file to a loop device", "root", special("/dev/loop-control")],
  ["machines", "opens /dev/kvm", "root", special("/dev/kvm")],
  ["fuse", "serves a filesystem with FUSE", "root", special("/dev/fuse")],
  ["tunnels", "creates a network interface", "root", special("/dev/net/tun")],
  [
    "hypervisor",
    "opens a device of the hypervisor",
    "root",
    `for path in /dev/vsock /dev/vhost-vsock /dev/vhost-net; do ${special('"$path"')}; done`,
  ],
  ["input_injection", "injects input into a terminal", "user", `attempt ioctl 0 0x5412 x`],
  [
    "input_injection_high",
    "injects input into a terminal with a request number that filters may misread",
    "user",
    `attempt ioctl 0 0x100005412 x`,
  ],
  ["console_injection", "pastes into the console of the host", "user", `attempt ioctl 0 0x541c x`],
  [
    "line_discipline",
    "sets the line discipline of a terminal, which may load a kernel module",
    "user",
    `attempt ioctl 0 0x5423 x`,
  ],
  [
    "terminal",
    "opens the terminal that the service was started from",
    { never: "tests run without a terminal" },
    `if ( : </dev/tty ); then breach "there is one"; fi`,
  ],
  [
    "other_terminals",
    "opens another user's terminal",
    { never: "the machine of a test may have none" },
    `for path in /dev/pts/[0-9]* /dev/tty[0-9]* /dev/ttyS*; do if [ -e "$path" ] && ( : <>"$path" ); then breach "$path can be opened"; fi; done`,
  ],
] as const);
