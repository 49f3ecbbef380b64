import { SandboxError } from "../sandbox.ts";
import { PIPES_INSIDE, type Slot } from "./pipes.ts";

/** One word of shell text that stands for exactly these characters. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Assignments that export the command's variables. */
export function exports(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new SandboxError(`not a variable name: ${JSON.stringify(name)}`);
    if (value.includes("\0")) throw new SandboxError(`the variable ${name} holds a NUL`);
    return `export ${name}=${quote(value)}\n`;
  });
  return lines.join("");
}

/** Takes variables out of a living bash. One that a script made read-only stays. */
export function unset(names: readonly string[]): string {
  return names.map((name) => `builtin unset -v ${name} 2>/dev/null || :\n`).join("");
}

/**
 * What a fresh `sh` reads as its script. The command runs in a subshell through `eval`, so that a syntax error,
 * `exit` or `exec` ends only it, and with its own standard input. The newline tells that the pipes are open; the
 * last line exits, so the pipe may stay open. The limit that is the mark has one letter or the other, as the shell is.
 */
export function freshShell(
  slot: Slot,
  parts: { mark: number; exports: string; script: string; cwd: string; nonce: string; fed: boolean },
): string {
  return `${parts.fed ? `exec 4<${PIPES_INSIDE}/${slot.name}.stdin\n` : ""}echo
{ ulimit -w ${parts.mark} || ulimit -x ${parts.mark}; } 2>/dev/null
${parts.exports}( cd -- ${quote(parts.cwd)} || exit 1
eval ${quote(parts.script)}
) ${parts.fed ? "<&4 4<&-" : "</dev/null"}
printf '%s %s %s %s' ${parts.nonce} "$?" / ${parts.nonce}
exit
`;
}

/**
 * What a named bash reads to run one command. High descriptors are out of the way of those that scripts number
 * themselves; the command does not see them.
 */
export function namedShell(
  slot: Slot,
  parts: {
    mark: number;
    exports: string;
    script: string;
    nonce: string;
    fed: boolean;
    startIn: string | null;
  },
): string {
  const pipe = `${PIPES_INSIDE}/${slot.name}`;
  const start =
    parts.startIn === null ? "" : `builtin cd -- ${quote(parts.startIn)} 2>/dev/null || builtin cd /data\n`;
  return `${start}exec 252>${pipe}.out 253<${parts.fed ? `${pipe}.stdin` : "/dev/null"}
builtin printf '\\n' >&252
builtin ulimit -x ${parts.mark} 2>/dev/null
${parts.exports}builtin eval ${quote(parts.script)} <&253 >&252 2>&1 252>&- 253<&-
builtin printf '%s %s %s %s' ${parts.nonce} "$?" "$PWD" ${parts.nonce} >&252
exec 252>&- 253<&-
`;
}
