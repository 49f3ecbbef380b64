import { PIPES_INSIDE } from "../inside/environment.ts";
import { SandboxError } from "../interface/errors.ts";
import { quote } from "../scripts/quote.ts";
import { shellTemplate } from "../scripts/read-script.ts";
import type { Slot } from "./pipes.ts";

/** Lines that export a command's variables. Throws `SandboxError` for a bad name, or a value with a NUL. */
export function exports(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new SandboxError(`not a variable name: ${JSON.stringify(name)}`);
    if (value.includes("\0")) throw new SandboxError(`the variable ${name} holds a NUL`);
    return `export ${name}=${quote(value)}\n`;
  });
  return lines.join("");
}

/** Lines that unset variables of a living bash. Read-only ones stay. */
export function unset(names: readonly string[]): string {
  return names.map((name) => `builtin unset -v ${name} 2>/dev/null || :\n`).join("");
}

type Parts = { mark: number; exports: string; script: string; nonce: string; fed: boolean };

const FRESH = shellTemplate<"STDIN" | "MARK" | "EXPORTS" | "CWD" | "SCRIPT" | "NONCE">(
  "commands/fresh-shell.sh",
);
const NAMED = shellTemplate<"START" | "OUT" | "STDIN" | "MARK" | "EXPORTS" | "SCRIPT" | "NONCE">(
  "commands/named-shell.sh",
);

/** What a fresh `sh` reads to run one command. */
export function freshShell(slot: Slot, parts: Parts & { cwd: string }): string {
  return FRESH({ ...words(slot, parts), CWD: quote(parts.cwd) });
}

/** What a named bash reads to run one command. */
export function namedShell(slot: Slot, parts: Parts & { startIn: string | null }): string {
  const { startIn } = parts;
  const start = startIn === null ? "" : `builtin cd -- ${quote(startIn)} 2>/dev/null || builtin cd /data`;
  return NAMED({ ...words(slot, parts), START: start, OUT: `${PIPES_INSIDE}/${slot.name}.out` });
}

function words(slot: Slot, { mark, exports, script, nonce, fed }: Parts) {
  return {
    STDIN: fed ? `${PIPES_INSIDE}/${slot.name}.stdin` : "/dev/null",
    MARK: String(mark),
    EXPORTS: exports,
    SCRIPT: quote(script),
    NONCE: nonce,
  };
}
