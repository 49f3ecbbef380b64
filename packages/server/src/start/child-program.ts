import { extname, join } from "node:path";

/** Lies beside this file, and is TypeScript or JavaScript as it is. In a bundle, this file is a part of it, and the programs lie beside that. */
export function childProgram(name: "api-process" | "runner-process"): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
}
