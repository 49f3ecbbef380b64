import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ABSENT_SYSCALLS, DENIED_SYSCALLS, EXAMINED_SYSCALLS, NEWEST_SYSCALL } from "@berth/linux";
import fc from "fast-check";
import { ALLOWED_SYSCALLS } from "./allowed-syscalls.ts";
import { type ContainerProfile, containerProfile, others } from "./container-profile.ts";
import { EAFNOSUPPORT, EINVAL, ENOSYS } from "./seccomp.ts";

const EPERM = 1;

/**
 * Returns the error of the profile for a call, 0 when allowed, as the container engine's library evaluates
 * it.
 */
function verdict(name: string, ...args: number[]): number {
  return verdictOf(containerProfile("x64"), name, ...args);
}

function verdictOf(profile: ContainerProfile, name: string, ...args: number[]): number {
  const found = profile.syscalls.filter(
    (rule) =>
      rule.names.includes(name) &&
      (rule.args ?? []).every(
        ({ index, value, valueTwo }) =>
          (BigInt(args[index] ?? 0) & BigInt(value)) === BigInt(valueTwo) && value !== 0,
      ),
  );
  assert.ok(found.length <= 1, `${name}(${args}) meets several rules`);
  return found[0] ? (found[0].errnoRet ?? 0) : EPERM;
}

test("others: the patterns match every value but the given ones, each once", () => {
  const word = fc.integer({ min: 0, max: 0xffffffff });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), word, (named, value) => {
      const matching = (candidate: number) =>
        others(named).filter(({ mask, bits }) => (candidate & mask) >>> 0 === bits).length;
      for (const one of named) assert.equal(matching(one), 0);
      assert.equal(matching(value), named.includes(value) ? 0 : 1);
    }),
  );
});

test("lists: each system call is allowed, denied or examined, in one list only", () => {
  const [refused, examined] = [Object.keys(DENIED_SYSCALLS), Object.keys(EXAMINED_SYSCALLS)];
  const absent = Object.keys(ABSENT_SYSCALLS);
  const all = [...ALLOWED_SYSCALLS, ...refused, ...absent, ...examined];
  assert.equal(new Set(all).size, all.length);
  for (const name of ALLOWED_SYSCALLS) assert.equal(verdict(name), 0, name);
  for (const name of refused) assert.equal(verdict(name), EPERM, name);
  for (const name of absent) assert.equal(verdict(name), ENOSYS, name);
});

test("lists: the system calls of this machine's kernel headers", {
  skip: !existsSync("/usr/include/x86_64-linux-gnu/asm/unistd_64.h") && "no kernel headers for x86_64",
}, () => {
  const known = new Set([
    ...ALLOWED_SYSCALLS,
    ...Object.keys(DENIED_SYSCALLS),
    ...Object.keys(ABSENT_SYSCALLS),
    ...Object.keys(EXAMINED_SYSCALLS),
  ]);
  const header = readFileSync("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "utf8");
  const missing = [...header.matchAll(/define __NR_(\w+) (\d+)/g)]
    .filter(([, , number]) => Number(number) <= NEWEST_SYSCALL)
    .flatMap(([, name = ""]) => (known.has(name) ? [] : [name]));
  assert.deepEqual(missing, []);
});

test("profile: performance counters of one process each, if they are allowed", () => {
  const call = (perf: boolean, ...args: number[]) =>
    verdictOf(containerProfile("x64", { perf }), "perf_event_open", ...args);
  assert.equal(call(false, 0, 0, 0xffffffff, 0, 0), EPERM);
  assert.equal(call(true, 0, 0, 0xffffffff, 0, 8), 0);
  assert.equal(call(true, 0, 4_711, 0, 0, 0), 0);
  for (const junk of [0, 2 ** 40]) {
    assert.equal(call(true, 0, 0xffffffff + junk, 0, 0, 0), EPERM);
    assert.equal(call(true, 0, 3 + junk, 0, 0, 12), EPERM);
  }
});

test("profile: decides by arguments as the filter does, whatever the high half of a register", () => {
  const high = 2 ** 40;
  for (const junk of [0, high]) {
    const cases: [number, string, ...number[]][] = [
      [ENOSYS, "clone3"],
      [0, "clone", 0x11 + junk],
      [EPERM, "clone", 0x10000011 + junk],
      [EPERM, "unshare", 0x40000000 + junk],
      [EPERM, "unshare", 0x80 + junk],
      [0, "unshare", 0x400 + junk],
      [EPERM, "ioctl", 0, 0x5412 + junk],
      [EPERM, "ioctl", 0, 0x541c + junk],
      [0, "ioctl", 0, 0x5413 + junk],
      [EINVAL, "fcntl", 3, 37 + junk],
      [EINVAL, "fcntl", 3, 38 + junk],
      [0, "fcntl", 3, 6 + junk],
      [EPERM, "mmap", 0, 4096, 3, 0x40022 + junk],
      [0, "mmap", 0, 4096, 3, 0x22 + junk],
      [EPERM, "memfd_create", 0, 4 + junk],
      [EPERM, "shmget", 0, 1, 0x800 + junk],
      [0, "ptrace", 0x4206 + junk],
      [0, "personality", 0xffffffff + junk],
      [EPERM, "personality", 0x1 + junk],
      [0, "socket", 1 + junk],
      [0, "socket", 10 + junk, 0x80801 + junk, 6 + junk],
      [0, "socket", 2 + junk, 2 + junk, 0],
      [EPERM, "socket", 2 + junk, 1, 262 + junk],
      [EPERM, "socket", 2 + junk, 5 + junk, 0],
      [EPERM, "ioctl", 0, 0x5423 + junk],
      [EAFNOSUPPORT, "socket", 40 + junk],
      [0, "socket", 16 + junk, 3, 0],
      [EAFNOSUPPORT, "socket", 16 + junk, 3, 9 + junk],
      [0, "socketpair", 1 + junk],
      [EAFNOSUPPORT, "socketpair", 2 + junk],
    ];
    for (const [answer, name, ...args] of cases)
      assert.equal(verdict(name, ...args), answer, `${name} ${args}`);
  }
});
