import { readFileSync } from "node:fs";
import { perlProgram } from "@berth/linux";

/**
 * Returns the text of shell scripts below `packages/sandbox/scripts`, joined. Reads synchronously: call it at
 * module load.
 */
export function shellScript(...paths: readonly string[]): string {
  return paths.map(read).join("\n");
}

/** Returns the text of a shell script without its comments. */
export function shellProgram(path: string): string {
  return read(path).replaceAll(/^\s*#.*\n/gm, "");
}

/** Returns the text of shell scripts without their comments, joined. */
export function shellPrograms(...paths: readonly string[]): string {
  return paths.map(shellProgram).join("\n");
}

/**
 * Returns a function that replaces the words `__NAME__` in a shell script, which is stripped of its comments.
 */
export function shellTemplate<Name extends string>(path: string): (values: Record<Name, string>) => string {
  const text = shellProgram(path);
  return (values) => text.replaceAll(/__([A-Z]+)__/g, (_, name: Name) => values[name]);
}

/** Returns the text of a Perl program that makes no raw system calls. */
export function perlText(path: string): string {
  return read(path);
}

/** Returns the text of a Perl program that makes raw system calls; see `perlProgram`. */
export function perlScript(...paths: readonly string[]): string {
  return perlProgram(...paths.map(scriptUrl));
}

function read(path: string): string {
  return readFileSync(scriptUrl(path), "utf8");
}

function scriptUrl(path: string): URL {
  return new URL(`../../scripts/${path}`, import.meta.url);
}
