import { PIPES_INSIDE, SHELLS_INSIDE } from "../inside/environment.ts";
import { SandboxError } from "../interface/errors.ts";
import { quote } from "../scripts/quote.ts";
import { shellTemplate } from "../scripts/read-script.ts";
import type { Slot } from "./pipes.ts";

/** Variables that the shell itself maintains: it rejects other values, or misbehaves with them. */
const OF_THE_SHELL = new Set(
  "PWD OLDPWD IFS UID EUID PPID SHELLOPTS BASHOPTS BASH_VERSINFO BASHPID DIRSTACK GROUPS FUNCNAME _".split(
    " ",
  ),
);

/** Returns whether the shell itself maintains this variable. */
export function isOfShell(name: string): boolean {
  return OF_THE_SHELL.has(name);
}

/**
 * Returns lines that export a command's variables, without those that the shell maintains. Throws
 * `SandboxError` for an invalid name, or a value with a NUL.
 */
export function exports(environment: Readonly<Record<string, string>>): string {
  const entries = Object.entries(environment).filter(([name]) => !isOfShell(name));
  const lines = entries.map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new SandboxError(`not a variable name: ${JSON.stringify(name)}`);
    if (value.includes("\0")) throw new SandboxError(`the variable ${name} holds a NUL`);
    return `export ${name}=${quote(value)}\n`;
  });
  return lines.join("");
}

type ScriptOptions = { mark: number; exports: string; script: string; nonce: string; fed: boolean };

const FRESH = shellTemplate<"STDIN" | "MARK" | "EXPORTS" | "CWD" | "SCRIPT" | "NONCE">(
  "commands/fresh-shell.sh",
);
const NAMED = shellTemplate<"START" | "OUT" | "STDIN" | "MARK" | "EXPORTS" | "SCRIPT" | "NONCE" | "END">(
  "commands/named-shell.sh",
);

const ASIDE = shellTemplate<"OUT" | "STDIN" | "MARK" | "EXPORTS" | "SCRIPT" | "NONCE">(
  "commands/aside-shell.sh",
);

const TOGETHER = shellTemplate<"OUT" | "STDIN" | "MARK" | "EXPORTS" | "CWD" | "SCRIPT" | "NONCE">(
  "commands/together-shell.sh",
);

/** Returns the text with which a fresh `sh` starts one command of several. */
export function togetherShell(slot: Slot, options: ScriptOptions & { cwd: string }): string {
  return TOGETHER({
    ...words(slot, options),
    CWD: quote(options.cwd),
    OUT: `${PIPES_INSIDE}/${slot.name}.out`,
  });
}

/** Returns the text with which a fresh `sh` runs one command. */
export function freshShell(slot: Slot, options: ScriptOptions & { cwd: string }): string {
  return FRESH({ ...words(slot, options), CWD: quote(options.cwd) });
}

/**
 * Returns the text with which a named bash runs one command.
 *
 * @param parts `given` contains the names of the variables that `exports` exports; `revision` changes with
 * them and with the secrets. `startIn` is the directory of a new bash; null for a running one.
 */
export function namedShell(
  slot: Slot,
  options: ScriptOptions & {
    name: string;
    given: readonly string[];
    secrets: readonly string[];
    revision: number;
    startIn: string | null;
  },
): string {
  const { name, given, secrets, revision, startIn } = options;
  const start =
    startIn === null ? "" : `builtin . ${PIPES_INSIDE}/restore-shell ${name} ${quote(startIn)} >&252`;
  return NAMED({
    ...words(slot, options),
    START: start === "" ? "" : `${start} || builtin :`,
    OUT: `${PIPES_INSIDE}/${slot.name}.out`,
    END: [name, revision, given.length, ...given, ...secrets.map(quote)].join(" "),
  });
}

/** Returns the text with which a named bash runs one command in a copy of itself. */
export function asideShell(slot: Slot, options: ScriptOptions): string {
  return ASIDE({ ...words(slot, options), OUT: `${PIPES_INSIDE}/${slot.name}.out` });
}

/** Returns a script that deletes the saved state of a shell except its directory. */
export function forgetShell(name: string, directory: string): string {
  const kept = `${SHELLS_INSIDE}/${name}`;
  const state = `berth_directory=${quote(directory)}\nberth_restored=yes\n# complete 0\n`;
  return `rm -rf ${kept}.0 ${kept}.1 ${kept}.attempts && printf %s ${quote(state)} >${kept}.0`;
}

function words(slot: Slot, { mark, exports, script, nonce, fed }: ScriptOptions) {
  return {
    STDIN: fed ? `${PIPES_INSIDE}/${slot.name}.stdin` : "/dev/null",
    MARK: String(mark),
    EXPORTS: exports,
    SCRIPT: quote(script),
    NONCE: nonce,
  };
}
