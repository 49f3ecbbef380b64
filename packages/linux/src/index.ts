export { type Architecture, isArchitecture } from "./architecture.ts";
export { encode, type Instruction } from "./bpf.ts";
export { findProgram } from "./find-program.ts";
export { hardLimit } from "./hard-limit.ts";
export { removeTree } from "./remove-tree.ts";
export { syscallNumbers } from "./syscall-numbers.ts";
export * from "./syscalls.ts";
export { perlCalls } from "./system-calls.ts";
