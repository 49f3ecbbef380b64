export { encode, type Instruction } from "./bpf.ts";
export { withDirectoryLock } from "./directory-lock.ts";
export { lockFile } from "./file-lock.ts";
export { findProgram } from "./find-program.ts";
export { hardLimit } from "./hard-limit.ts";
export { perlProgram } from "./perl-program.ts";
export { processStart } from "./process-start.ts";
export { removeTree } from "./remove-tree.ts";
export * from "./syscalls.ts";
