import type { Architecture } from "./architecture.ts";
import { EXAMINED_SYSCALLS, type Numbers, REFUSED_SYSCALLS } from "./syscalls.ts";

/** Those that Berth's programs make and the filter allows, with or without the kernel's own checks. */
const others: Readonly<Record<string, Numbers>> = {
  close: [3, 57],
  getpid: [39, 172],
  shmget: [29, 194],
  setuid: [105, 146],
  setgroups: [116, 159],
  setresuid: [117, 147],
  setresgid: [119, 149],
  capget: [125, 90],
  capset: [126, 91],
  setxattr: [188, 5],
  mkdirat: [258, 34],
  mknodat: [259, 33],
  unlinkat: [263, 35],
  prlimit64: [302, 261],
  renameat2: [316, 276],
  openat2: [437, 437],
};

/** The numbers, by name, of the system calls that are refused, examined or made; those that the machine lacks are left out. */
export function syscallNumbers(architecture: Architecture): Readonly<Record<string, number>> {
  const column = architecture === "arm64" ? 1 : 0;
  const all: Record<string, Numbers> = { ...REFUSED_SYSCALLS, ...EXAMINED_SYSCALLS, ...others };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, numbers]) => {
      const number = numbers[column];
      return number === null ? [] : [[name, number]];
    }),
  );
}
