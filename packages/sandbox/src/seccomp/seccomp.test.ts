import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ABSENT_SYSCALLS,
  type Architecture,
  DENIED_SYSCALLS,
  EXAMINED_SYSCALLS,
  encode,
  NEWEST_SYSCALL,
  UNASSIGNED_SYSCALLS,
} from "@berth/linux";
import fc from "fast-check";
import { ALLOW, EAFNOSUPPORT, EINVAL, ENOSYS, EPERM, KILL, seccompFilter } from "./seccomp.ts";

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const architectures: Architecture[] = ["x64", "arm64"];
const refused = (errno: number) => 0x50000 + errno;

/** Runs the encoded program as the kernel does. Returns the action. */
function verdict(
  architecture: Architecture,
  nr: number,
  args: readonly number[] = [],
  audit = AUDIT[architecture],
  filter = seccompFilter(architecture),
): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(nr >>> 0, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index);
  const program = encode(filter);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const k = program.readUInt32LE(at + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x06) return k;
    else {
      const holds =
        code === 0x15
          ? accumulator === k
          : code === 0x25
            ? accumulator > k
            : code === 0x35
              ? accumulator >= k
              : (accumulator & k) !== 0;
      at += 8 * program.readUInt8(at + (holds ? 2 : 3));
    }
  }
  throw new Error("the program fell off its end");
}

for (const architecture of architectures) {
  const column = architecture === "x64" ? 0 : 1;
  const denied = new Set(Object.values(DENIED_SYSCALLS).map((numbers) => numbers[column]));
  const absent = new Set(Object.values(ABSENT_SYSCALLS).map((numbers) => numbers[column]));
  const [first, last] = UNASSIGNED_SYSCALLS[architecture];
  const examined = new Set<number>(Object.values(EXAMINED_SYSCALLS).map((numbers) => numbers[column]));
  const of = (name: keyof typeof EXAMINED_SYSCALLS) => EXAMINED_SYSCALLS[name][column];

  test(`${architecture}: every call without a rule is allowed, every listed one denied`, () => {
    fc.assert(
      fc.property(fc.nat(NEWEST_SYSCALL), fc.array(fc.nat(), { maxLength: 6 }), (nr, args) => {
        fc.pre(!examined.has(nr) && !absent.has(nr) && (nr < first || nr > last));
        assert.equal(verdict(architecture, nr, args), denied.has(nr) ? refused(EPERM) : ALLOW);
      }),
      { numRuns: 300 },
    );
    for (const nr of denied) if (nr !== null) assert.equal(verdict(architecture, nr), refused(EPERM));
  });

  test(`${architecture}: calls of another architecture kill the process, unknown calls return ENOSYS`, () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.nat(500), (audit, nr) => {
        fc.pre(audit !== AUDIT[architecture]);
        assert.equal(verdict(architecture, nr, [], audit), KILL);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: NEWEST_SYSCALL + 1, max: 0xffffffff }), (nr) => {
        assert.equal(verdict(architecture, nr), refused(ENOSYS));
      }),
    );
    assert.equal(verdict(architecture, of("clone3")), refused(ENOSYS));
    for (const nr of absent) if (nr !== null) assert.equal(verdict(architecture, nr), refused(ENOSYS));
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (nr) => {
        assert.equal(verdict(architecture, nr), refused(ENOSYS));
      }),
    );
  });

  test(`${architecture}: no flag makes a new namespace; threads and forks are allowed`, () => {
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      assert.equal(verdict(architecture, of("clone"), [flag | 17]), refused(EPERM));
      assert.equal(verdict(architecture, of("unshare"), [flag]), refused(EPERM));
    }
    assert.equal(verdict(architecture, of("unshare"), [0x80]), refused(EPERM));
    assert.equal(verdict(architecture, of("unshare"), [0x400]), ALLOW);
    assert.equal(verdict(architecture, of("clone"), [0x3d0f00]), ALLOW);
    assert.equal(verdict(architecture, of("clone"), [17]), ALLOW);
  });

  test(`${architecture}: only unix, internet and route netlink sockets are allowed`, () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(20), (family, protocol) => {
        fc.pre(family !== 2 && family !== 10);
        const allowed = family === 1 || (family === 16 && protocol === 0);
        assert.equal(
          verdict(architecture, of("socket"), [family, 1, protocol]),
          allowed ? ALLOW : refused(EAFNOSUPPORT),
        );
        assert.equal(
          verdict(architecture, of("socketpair"), [family, 1, protocol]),
          family === 1 ? ALLOW : refused(EAFNOSUPPORT),
        );
      }),
    );
  });

  test(`${architecture}: internet sockets: only types and protocols that load no module`, () => {
    const flags = fc.constantFrom(0, 0x800, 0x80000, 0x80800, 0x100000000);
    fc.assert(
      fc.property(fc.constantFrom(2, 10), fc.nat(15), flags, fc.nat(300), (family, kind, flag, protocol) => {
        const allowed = [1, 2, 3].includes(kind) && [0, 1, 6, 17, 58].includes(protocol);
        assert.equal(
          verdict(architecture, of("socket"), [family, kind + flag, protocol]),
          allowed ? ALLOW : refused(EPERM),
        );
      }),
      { numRuns: 500 },
    );
    for (const protocol of [0, 1, 6, 17, 58])
      assert.equal(verdict(architecture, of("socket"), [2, 1, protocol]), ALLOW);
    assert.equal(verdict(architecture, of("socket"), [10, 1, 262]), refused(EPERM));
  });

  test(`${architecture}: performance counters: none, or those of one process each`, () => {
    const nr = of("perf_event_open");
    const withPerf = (...args: number[]) =>
      verdict(architecture, nr, args, AUDIT[architecture], seccompFilter(architecture, { perf: true }));
    assert.equal(verdict(architecture, nr, [0, 0, -1, -1, 0]), refused(EPERM));
    assert.equal(withPerf(0, 0, -1, -1, 8), ALLOW);
    assert.equal(withPerf(0, 4_711, 0, -1, 0), ALLOW);
    assert.equal(withPerf(0, -1, 0, -1, 0), refused(EPERM));
    assert.equal(withPerf(0, 0x1_ffff_ffff, 0, -1, 0), refused(EPERM));
    assert.equal(withPerf(0, 3, 0, -1, 12), refused(EPERM));
  });

  test(`${architecture}: the high half of an argument is ignored`, () => {
    assert.equal(verdict(architecture, of("ioctl"), [0, 0x1_0000_5412]), refused(EPERM));
    assert.equal(verdict(architecture, of("ioctl"), [0, 0x541c]), refused(EPERM));
    assert.equal(verdict(architecture, of("ioctl"), [0, 0x5423]), refused(EPERM));
    assert.equal(verdict(architecture, of("ioctl"), [0, 0x5413]), ALLOW);
    assert.equal(verdict(architecture, of("fcntl"), [3, 0x1_0000_0025]), refused(EINVAL));
    assert.equal(verdict(architecture, of("fcntl"), [3, 38]), refused(EINVAL));
    assert.equal(verdict(architecture, of("fcntl"), [3, 6]), ALLOW);
    const ofPackages = seccompFilter(architecture, { openFileLocks: true });
    assert.equal(verdict(architecture, of("fcntl"), [3, 38], AUDIT[architecture], ofPackages), ALLOW);
    assert.equal(verdict(architecture, of("mmap"), [0, 4096, 3, 0x1_0004_0022]), refused(EPERM));
    assert.equal(verdict(architecture, of("mmap"), [0, 4096, 3, 0x22]), ALLOW);
    assert.equal(verdict(architecture, of("memfd_create"), [0, 5]), refused(EPERM));
    assert.equal(verdict(architecture, of("shmget"), [0, 4096, 0x800]), refused(EPERM));
    assert.equal(verdict(architecture, of("personality"), [0x0400000]), refused(EPERM));
  });
}
