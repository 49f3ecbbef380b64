import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { binary } from "./berth.ts";

/** A program that runs on its own terminal. */
export interface Terminal {
  type(text: string): void;
  /** Resolves when the output matches. Rejects when the command ends without a match. */
  until(pattern: RegExp): Promise<void>;
  /** Resolves when the command has ended, with its exit code and output, including echoed input. */
  ended: Promise<{ code: number | null; output: string }>;
}

interface TerminalOptions {
  env: Record<string, string>;
  cwd: string;
}

/** Runs `berth` on a terminal. @param options The environment is that of `startBerth`; colours are off. */
export function openTerminal(t: TestContext, args: readonly string[], options: TerminalOptions): Terminal {
  return onTerminal(t, [binary, ...args], options);
}

/** Runs any program, such as a shell, on a terminal. */
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
