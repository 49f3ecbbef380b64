import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { binary } from "./berth.ts";

/** A program on a terminal of its own. */
export interface Terminal {
  type(text: string): void;
  /** Resolves when the output has it. Rejects when the command ends without it. */
  until(pattern: RegExp): Promise<void>;
  /** What the command wrote, with the typed text as the terminal shows it, when it has ended. */
  ended: Promise<{ code: number | null; output: string }>;
}

interface TerminalOptions {
  env: Record<string, string>;
  cwd: string;
}

/** `berth`. @param options the environment is that of `startBerth`; colours are off. */
export function openTerminal(t: TestContext, args: readonly string[], options: TerminalOptions): Terminal {
  return onTerminal(t, [binary, ...args], options);
}

/** Any program, such as a shell. */
export function onTerminal(
  t: TestContext,
  program: readonly string[],
  { env, cwd }: TerminalOptions,
): Terminal {
  const command = program.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", `exec ${command}`, "/dev/null"], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", NO_COLOR: "1", ...env },
    cwd,
  });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  const waits = new Set<() => void>();
  const wake = () => {
    for (const one of waits) one();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    wake();
  });
  const ended = once(child, "close").then(([code]) => {
    wake();
    return { code, output };
  });
  return {
    type: (text) => child.stdin.write(text),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(output)) resolve();
          else if (child.exitCode === null) return;
          else reject(new Error(`${pattern} is not in the output:\n${output}`));
          waits.delete(look);
        };
        waits.add(look);
        look();
      }),
    ended,
  };
}
