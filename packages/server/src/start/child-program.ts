import { extname, join } from "node:path";

/**
 * Returns the path of a child program. It is in the directory of this file, with the same extension. In a
 * bundle that is the directory of the bundle.
 */
export function childProgram(name: "api-process" | "runner-process"): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
}
