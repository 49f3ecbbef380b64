import { readFileSync } from "node:fs";
import { perlProgram } from "@berth/linux";

/** URL of a file below `packages/sandbox/scripts`. */
function scriptUrl(path: string): URL {
  return new URL(`../../scripts/${path}`, import.meta.url);
}

/** The text of shell scripts, one after another. Read synchronously, like all below: call it at module load. */
export function shellScript(...paths: readonly string[]): string {
  return paths.map((path) => readFileSync(scriptUrl(path), "utf8")).join("\n");
}

/** A Perl program that makes system calls; see `perlProgram`. */
export function perlScript(...paths: readonly string[]): string {
  return perlProgram(...paths.map(scriptUrl));
}

/** The text of a shell script without its comments, as a function that replaces the words `__NAME__` in it. */
export function shellTemplate<Name extends string>(path: string): (values: Record<Name, string>) => string {
  const text = shellScript(path).replaceAll(/^#.*\n/gm, "");
  return (values) => text.replaceAll(/__([A-Z]+)__/g, (_, name: Name) => values[name]);
}
