import type { Architecture, Instruction } from "@berth/linux";
import {
  ABSENT_SYSCALLS,
  DENIED_SYSCALLS,
  EXAMINED_SYSCALLS,
  NEWEST_SYSCALL,
  UNASSIGNED_SYSCALLS,
} from "@berth/linux";

export const ALLOW = 0x7fff0000;
export const KILL = 0x80000000;
export const EPERM = 1;
export const EINVAL = 22;
export const ENOSYS = 38;
export const EAFNOSUPPORT = 97;

const LOAD = 0x20;
const EQUAL = 0x15;
const GREATER = 0x25;
const AT_LEAST = 0x35;
const ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;

const NUMBER = 0;
const ARCHITECTURE = 4;
/** Returns the offset of the low half of an argument on little-endian machines. */
const argument = (index: number) => 16 + 8 * index;

const AUDIT: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const X32_BIT = 0x40000000;
/** The flags of clone and unshare for every new namespace except time namespaces. */
export const NEW_NAMESPACES = 0x7e020000;
/** CLONE_NEWTIME, which is a flag of unshare only. */
export const NEW_TIME = 0x80;
/** TIOCSTI, TIOCLINUX, and TIOCSETD, which may make the host load a module. */
export const DENIED_IOCTLS = [0x5412, 0x541c, 0x5423];
/**
 * F_OFD_SETLK and F_OFD_SETLKW. The kernel does not report the owner of such locks, so they could not be
 * limited.
 */
export const DENIED_LOCKS = [37, 38];
/**
 * MFD_HUGETLB, MAP_HUGETLB and SHM_HUGETLB, with the argument's index. Huge pages are reserved for others and
 * not counted as the sandbox's memory.
 */
export const HUGE_PAGES = { memfd_create: [1, 0x4], mmap: [3, 0x40000], shmget: [2, 0x800] } as const;
export const UNIX = 1;
export const INTERNET = [2, 10];
/**
 * Stream, datagram and raw sockets; the kernel itself denies raw ones. Other types may make the host load a
 * module.
 */
export const SOCKET_KINDS = [1, 2, 3];
export const SOCKET_KIND_MASK = 0xf;
/** Default, ICMP, TCP, UDP and ICMPv6. Others may also make the host load a module. */
export const PROTOCOLS = [0, 1, 6, 17, 58];
export const NETLINK = 16;
/** The default, flags that debuggers and old programs set, and the query. */
export const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0x40000, 0xffffffff];

/** The pid of perf_event_open that means all processes of a core. */
export const ANY_PROCESS = 0xffffffff;
/** PERF_FLAG_PID_CGROUP. */
export const PERF_OF_CGROUP = 0x4;

/** Settings of the filter. */
export interface FilterOptions {
  /**
   * Whether programs may open performance counters of single processes; see `perfIsBounded`. Default: none.
   */
  perf?: boolean;
  /** Whether programs may lock open file descriptions, which nothing can limit. Default: they may not. */
  openFileLocks?: boolean;
}

/**
 * Returns the system call filter of every process in a sandbox, which blocks what namespaces and dropped
 * capabilities leave open. The PID namespace alone bounds which processes a debugger can reach: the kernel
 * applies the filter to system calls after a debugger has changed them.
 *
 * - Sockets are limited to unix, the ordinary types of IPv4 and IPv6, and route netlink (AF_VSOCK belongs
 *   to no network namespace).
 * - Memory has pages of ordinary size.
 * - Locks of open file descriptions fail as on kernels that lack them, unless they are allowed.
 * - Calls that the lists do not name, and io_setup, return ENOSYS.
 */
export function seccompFilter(
  architecture: Architecture,
  { perf = false, openFileLocks = false }: FilterOptions = {},
): Instruction[] {
  const column = architecture === "x64" ? 0 : 1;
  const [firstUnassigned, lastUnassigned] = UNASSIGNED_SYSCALLS[architecture];
  const call = (name: keyof typeof EXAMINED_SYSCALLS) => EXAMINED_SYSCALLS[name][column];
  const internet = [
    load(argument(1)),
    { code: AND, jumpTrue: 0, jumpFalse: 0, k: SOCKET_KIND_MASK },
    ...when(EQUAL, 0, [deny(EPERM)]),
    ...when(GREATER, Math.max(...SOCKET_KINDS), [deny(EPERM)]),
    load(argument(2)),
    ...allowValues(PROTOCOLS),
    deny(EPERM),
  ];
  return [
    load(ARCHITECTURE),
    ...unless(EQUAL, AUDIT[architecture], [decide(KILL)]),
    load(NUMBER),
    ...(architecture === "x64" ? when(AT_LEAST, X32_BIT, [deny(ENOSYS)]) : []),
    ...when(GREATER, NEWEST_SYSCALL, [deny(ENOSYS)]),
    ...when(AT_LEAST, firstUnassigned, unless(GREATER, lastUnassigned, [deny(ENOSYS)])),
    ...when(EQUAL, call("clone3"), [deny(ENOSYS)]),
    ...denyCalls(ABSENT_SYSCALLS, column, ENOSYS),
    ...denyCalls(DENIED_SYSCALLS, column, EPERM),
    ...when(EQUAL, call("clone"), [
      load(argument(0)),
      ...when(ANY_BIT, NEW_NAMESPACES, [deny(EPERM)]),
      decide(ALLOW),
    ]),
    ...when(EQUAL, call("unshare"), [
      load(argument(0)),
      ...when(ANY_BIT, NEW_NAMESPACES | NEW_TIME, [deny(EPERM)]),
      decide(ALLOW),
    ]),
    ...when(EQUAL, call("ioctl"), [load(argument(1)), ...denyValues(DENIED_IOCTLS, EPERM), decide(ALLOW)]),
    ...when(EQUAL, call("fcntl"), [
      load(argument(1)),
      ...(openFileLocks ? [] : denyValues(DENIED_LOCKS, EINVAL)),
      decide(ALLOW),
    ]),
    ...Object.entries(HUGE_PAGES).flatMap(([name, [index, flag]]) =>
      when(EQUAL, call(name as keyof typeof HUGE_PAGES), [
        load(argument(index)),
        ...when(ANY_BIT, flag, [deny(EPERM)]),
        decide(ALLOW),
      ]),
    ),
    ...when(EQUAL, call("personality"), [load(argument(0)), ...allowValues(PERSONALITIES), deny(EPERM)]),
    ...when(
      EQUAL,
      call("perf_event_open"),
      perf
        ? [
            load(argument(1)),
            ...denyValues([ANY_PROCESS], EPERM),
            load(argument(4)),
            ...when(ANY_BIT, PERF_OF_CGROUP, [deny(EPERM)]),
            decide(ALLOW),
          ]
        : [deny(EPERM)],
    ),
    ...when(EQUAL, call("socketpair"), [load(argument(0)), ...allowValues([UNIX]), deny(EAFNOSUPPORT)]),
    ...when(EQUAL, call("socket"), [
      load(argument(0)),
      ...allowValues([UNIX]),
      ...INTERNET.flatMap((family) => when(EQUAL, family, internet)),
      ...unless(EQUAL, NETLINK, [deny(EAFNOSUPPORT)]),
      load(argument(2)),
      ...allowValues([0]),
      deny(EAFNOSUPPORT),
    ]),
    decide(ALLOW),
  ];
}

function load(offset: number): Instruction {
  return { code: LOAD, jumpTrue: 0, jumpFalse: 0, k: offset };
}

function decide(action: number): Instruction {
  return { code: RETURN, jumpTrue: 0, jumpFalse: 0, k: action };
}

function deny(errno: number): Instruction {
  return decide(0x00050000 + errno);
}

function when(code: number, k: number, then: Instruction[]): Instruction[] {
  return [{ code, jumpTrue: 0, jumpFalse: then.length, k: k >>> 0 }, ...then];
}

function unless(code: number, k: number, then: Instruction[]): Instruction[] {
  return [{ code, jumpTrue: then.length, jumpFalse: 0, k: k >>> 0 }, ...then];
}

function denyCalls(calls: typeof DENIED_SYSCALLS, column: 0 | 1, errno: number): Instruction[] {
  return Object.values(calls).flatMap((numbers) => {
    const number = numbers[column];
    return number === null ? [] : when(EQUAL, number, [deny(errno)]);
  });
}

function denyValues(values: readonly number[], errno: number): Instruction[] {
  return values.flatMap((value) => when(EQUAL, value, [deny(errno)]));
}

function allowValues(values: readonly number[]): Instruction[] {
  return values.flatMap((value) => when(EQUAL, value, [decide(ALLOW)]));
}
