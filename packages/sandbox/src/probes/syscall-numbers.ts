import { examinedSyscalls, refusedSyscalls } from "../seccomp/seccomp-syscalls.ts";

type Numbers = readonly [x86_64: number | null, aarch64: number | null];

/** Calls that the filter leaves to the kernel's own checks. */
const others: Readonly<Record<string, Numbers>> = {
  capset: [126, 91],
  setuid: [105, 146],
  setgroups: [116, 159],
  setxattr: [188, 5],
  shmget: [29, 194],
  getpid: [39, 172],
};

/** Name and number in turn of each system call that probes use, for the machine that this process runs on. */
export function syscallNumbers(): string {
  const column = process.arch === "arm64" ? 1 : 0;
  const all: Record<string, Numbers> = { ...refusedSyscalls, ...examinedSyscalls, ...others };
  return Object.entries(all)
    .flatMap(([name, numbers]) => (numbers[column] === null ? [] : [`${name} ${numbers[column]}`]))
    .join(" ");
}
