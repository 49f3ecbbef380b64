/** Processor architectures whose system call numbers Berth knows, by their names in Node. */
export type Architecture = "x64" | "arm64";

export function isArchitecture(name: string): name is Architecture {
  return name === "x64" || name === "arm64";
}

/** A system call's numbers on x86_64 and aarch64; null where it does not exist. */
export type Numbers = readonly [x86_64: number | null, aarch64: number | null];

/**
 * System calls that are denied with any arguments: they administer the host or enlarge the kernel's attack
 * surface.
 */
export const DENIED_SYSCALLS: Readonly<Record<string, Numbers>> = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  get_kernel_syms: [177, null],
  query_module: [178, null],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  vhangup: [153, 58],
  syslog: [103, 116],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
  fanotify_init: [300, 262],
  setns: [308, 268],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  set_mempolicy_home_node: [450, 450],
  statmount: [457, 457],
  listmount: [458, 458],
  lsm_set_self_attr: [460, 460],
};

/** System calls that are allowed or denied by their arguments. */
export const EXAMINED_SYSCALLS = {
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  ioctl: [16, 29],
  fcntl: [72, 25],
  memfd_create: [319, 279],
  mmap: [9, 222],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  personality: [135, 92],
  perf_event_open: [298, 241],
} as const satisfies Record<string, Numbers>;

/**
 * System calls for which the filter returns ENOSYS, so that programs do without them. The machine has a
 * single table of AIO contexts for everyone.
 */
export const ABSENT_SYSCALLS: Readonly<Record<string, Numbers>> = {
  io_setup: [206, 0],
};

/**
 * The first and last number of the range that contains no listed system call, below the numbers shared by all
 * architectures. On x86_64 two of them are in use, `uretprobe` and `uprobe`. Newer kernels exempt both from
 * every filter, and end a caller that is not the kernel's own trampoline.
 */
export const UNASSIGNED_SYSCALLS = { x64: [335, 423], arm64: [295, 423] } as const satisfies Record<
  Architecture,
  readonly [number, number]
>;

/** The newest system call that the lists above cover; the filter returns ENOSYS for later ones. */
export const NEWEST_SYSCALL = 466;

/** System calls that Berth's programs and tests make and that the filter allows. */
const OTHERS: Readonly<Record<string, Numbers>> = {
  close: [3, 57],
  getpid: [39, 172],
  ptrace: [101, 117],
  setuid: [105, 146],
  setgroups: [116, 159],
  setresuid: [117, 147],
  setresgid: [119, 149],
  sched_setaffinity: [203, 122],
  capget: [125, 90],
  capset: [126, 91],
  setxattr: [188, 5],
  mkdirat: [258, 34],
  mknodat: [259, 33],
  unlinkat: [263, 35],
  prlimit64: [302, 261],
  renameat2: [316, 276],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  openat2: [437, 437],
};

/**
 * Returns the numbers of the denied, examined and used system calls by name, without those that the
 * architecture lacks.
 */
export function syscallNumbers(architecture: Architecture): Readonly<Record<string, number>> {
  const column = architecture === "arm64" ? 1 : 0;
  const all: Record<string, Numbers> = {
    ...DENIED_SYSCALLS,
    ...ABSENT_SYSCALLS,
    ...EXAMINED_SYSCALLS,
    ...OTHERS,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, numbers]) => {
      const number = numbers[column];
      return number === null ? [] : [[name, number]];
    }),
  );
}
