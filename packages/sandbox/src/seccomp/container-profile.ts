import { ABSENT_SYSCALLS, type Architecture } from "@berth/linux";
import { ALLOWED_SYSCALLS } from "./allowed-syscalls.ts";
import {
  ANY_PROCESS,
  DENIED_IOCTLS,
  DENIED_LOCKS,
  EAFNOSUPPORT,
  EINVAL,
  ENOSYS,
  type FilterOptions,
  HUGE_PAGES,
  INTERNET,
  NETLINK,
  NEW_NAMESPACES,
  NEW_TIME,
  PERF_OF_CGROUP,
  PERSONALITIES,
  PROTOCOLS,
  SOCKET_KIND_MASK,
  SOCKET_KINDS,
  UNIX,
} from "./seccomp.ts";

/** A condition on one argument: `argument & value === valueTwo`. */
interface Condition {
  index: number;
  value: number;
  valueTwo: number;
  op: "SCMP_CMP_MASKED_EQ";
}

export interface Rule {
  names: readonly string[];
  action: "SCMP_ACT_ALLOW" | "SCMP_ACT_ERRNO";
  errnoRet?: number;
  /** Conditions that must all hold. */
  args?: readonly Condition[];
}

/** The profile that Docker and Podman read as `seccomp=`. A call without a rule fails with EPERM. */
export interface ContainerProfile {
  defaultAction: "SCMP_ACT_ERRNO";
  architectures: readonly string[];
  syscalls: readonly Rule[];
}

const NAMES: Record<Architecture, string> = { x64: "SCMP_ARCH_X86_64", arm64: "SCMP_ARCH_AARCH64" };
const WORD = 0xffffffff;

/**
 * Returns the system call filter as a profile of a container engine. Its results are those of
 * `seccompFilter`, except for calls that the engine's library does not know. Calls by another architecture's
 * numbers also differ: they end the process.
 *
 * The library compares whole registers, but the kernel reads the low halves of most arguments, so every
 * comparison has a mask. It allows one condition for each argument, so "none of these" is written as the bit
 * patterns of all other values.
 */
export function containerProfile(
  architecture: Architecture,
  { perf = false }: FilterOptions = {},
): ContainerProfile {
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    architectures: [NAMES[architecture]],
    syscalls: [
      allow(ALLOWED_SYSCALLS),
      { names: ["clone3", ...Object.keys(ABSENT_SYSCALLS)], action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS },
      allow(["clone"], none(0, NEW_NAMESPACES)),
      allow(["unshare"], none(0, NEW_NAMESPACES | NEW_TIME)),
      ...others(DENIED_IOCTLS).map((pattern) => allow(["ioctl"], equal(1, pattern))),
      ...others(DENIED_LOCKS).map((pattern) => allow(["fcntl"], equal(1, pattern))),
      ...DENIED_LOCKS.map((command) => refused("fcntl", EINVAL, equal(1, exactly(command)))),
      ...Object.entries(HUGE_PAGES).map(([name, [index, flag]]) => allow([name], none(index, flag))),
      ...PERSONALITIES.map((value) => allow(["personality"], equal(0, exactly(value)))),
      ...(perf ? others([ANY_PROCESS]) : []).map((pattern) =>
        allow(["perf_event_open"], equal(1, pattern), none(4, PERF_OF_CGROUP)),
      ),
      allow(["socketpair"], equal(0, exactly(UNIX))),
      ...others([UNIX]).map((pattern) => refused("socketpair", EAFNOSUPPORT, equal(0, pattern))),
      allow(["socket"], equal(0, exactly(UNIX))),
      ...internetSockets(),
      allow(["socket"], equal(0, exactly(NETLINK)), equal(2, exactly(0))),
      ...others([0]).map((pattern) =>
        refused("socket", EAFNOSUPPORT, equal(0, exactly(NETLINK)), equal(2, pattern)),
      ),
      ...others([UNIX, ...INTERNET, NETLINK]).map((pattern) =>
        refused("socket", EAFNOSUPPORT, equal(0, pattern)),
      ),
    ],
  };
}

/** Returns the allowed internet sockets. Other types and protocols match no rule and fail with EPERM. */
function internetSockets(): Rule[] {
  return INTERNET.flatMap((family) =>
    SOCKET_KINDS.flatMap((kind) =>
      PROTOCOLS.map((protocol) =>
        allow(
          ["socket"],
          equal(0, exactly(family)),
          equal(1, { mask: SOCKET_KIND_MASK, bits: kind }),
          equal(2, exactly(protocol)),
        ),
      ),
    ),
  );
}

/** The compared bits and their values. */
interface Pattern {
  mask: number;
  bits: number;
}

/** Returns the fewest patterns that together match every 32-bit value except these. */
export function others(values: readonly number[], depth = 31): Pattern[] {
  const mask = depth === 31 ? 0 : (WORD << (depth + 1)) >>> 0;
  if (values.length === 0) throw new Error("without a value every pattern matches");
  if (depth < 0) return [];
  const prefix = ((values[0] ?? 0) & mask) >>> 0;
  return [0, 1].flatMap((bit) => {
    const within = values.filter((value) => ((value >>> depth) & 1) === bit);
    const pattern = { mask: (mask | (1 << depth)) >>> 0, bits: (prefix | (bit << depth)) >>> 0 };
    return within.length === 0 ? [pattern] : others(within, depth - 1);
  });
}

function exactly(value: number): Pattern {
  return { mask: WORD, bits: value };
}

function equal(index: number, { mask, bits }: Pattern): Condition {
  return { index, value: mask, valueTwo: bits, op: "SCMP_CMP_MASKED_EQ" };
}

function none(index: number, bits: number): Condition {
  return equal(index, { mask: bits, bits: 0 });
}

function allow(names: readonly string[], ...args: Condition[]): Rule {
  return { names, action: "SCMP_ACT_ALLOW", ...(args.length > 0 ? { args } : {}) };
}

function refused(name: string, errnoRet: number, ...args: Condition[]): Rule {
  return { names: [name], action: "SCMP_ACT_ERRNO", errnoRet, args };
}
