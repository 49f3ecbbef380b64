import { extname, join } from "node:path";

/** Lies beside this file, and is TypeScript or JavaScript as it is. In a bundle, this file is a part of it, and the program lies beside that. */
export const LEASE_PROGRAM = join(import.meta.dirname, `lease-thread${extname(import.meta.filename)}`);
