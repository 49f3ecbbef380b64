import type { Architecture } from "./architecture.ts";
import { DENIED_SYSCALLS, EXAMINED_SYSCALLS, type Numbers } from "./syscalls.ts";

/** System calls that Berth's programs and tests make and the filter allows. */
const OTHERS: Readonly<Record<string, Numbers>> = {
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

/** Numbers by name of the system calls that are denied, examined or made, without those that the architecture lacks. */
export function syscallNumbers(architecture: Architecture): Readonly<Record<string, number>> {
  const column = architecture === "arm64" ? 1 : 0;
  const all: Record<string, Numbers> = { ...DENIED_SYSCALLS, ...EXAMINED_SYSCALLS, ...OTHERS };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, numbers]) => {
      const number = numbers[column];
      return number === null ? [] : [[name, number]];
    }),
  );
}
