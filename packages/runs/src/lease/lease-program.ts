import { extname, join } from "node:path";

/**
 * The program's path. It lies beside this file, or beside the bundle that contains this file, and has the
 * same extension (TypeScript or JavaScript).
 */
export const LEASE_PROGRAM = join(import.meta.dirname, `lease-thread${extname(import.meta.filename)}`);
