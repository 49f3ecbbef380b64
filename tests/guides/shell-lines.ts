import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

/** The blocks for a shell in a document, with addresses put in place of those that a reader has. */
export async function shellLines(file: string, addresses: readonly [string, string][]): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) =>
    addresses.reduce((lines, [printed, real]) => lines.replaceAll(printed, real), block),
  );
}

export interface ShellOptions {
  cwd: string;
  env: Record<string, string>;
  /** Ends the shell, and what it started, once this was printed. */
  until?: string;
}

/** Runs lines to their end; answers all that they printed on both outputs. */
export async function runShell(
  shell: string,
  lines: string,
  { cwd, env, until }: ShellOptions,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(shell, ["-c", lines], {
    cwd,
    env: { ...env, TERM: "dumb" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {}
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (until !== undefined && output.includes(until)) end();
    });
  }
  const closed = once(child, "close");
  const [code] = await once(child, "exit");
  // A line that failed may have left something running; what ended by itself is gone.
  if (code !== 0 && until === undefined) end();
  // What was printed last may be read only after the end.
  await closed;
  return { code, output };
}
