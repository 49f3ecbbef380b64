import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

/** Returns the ```sh blocks of a document. */
export async function shellBlocks(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

export interface ShellOptions {
  cwd: string;
  env: Record<string, string>;
  /** Kills the shell and its children once its output contains this text. */
  until?: string;
}

/** Runs a script to its end. `output` is its standard output and standard error. */
export async function runShell(
  shell: string,
  script: string,
  { cwd, env, until }: ShellOptions,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(shell, ["-c", script], {
    cwd,
    env: { ...env, TERM: "dumb" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const kill = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {}
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (until !== undefined && output.includes(until)) kill();
    });
  }
  const closed = once(child, "close");
  const [code] = await once(child, "exit");
  // A script that failed may have left processes running; one that succeeded has stopped its own.
  if (code !== 0 && until === undefined) kill();
  // The last output may arrive after the exit.
  await closed;
  return { code, output };
}
