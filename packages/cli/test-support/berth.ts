import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** Path of the program `berth`. */
export const binary = fileURLToPath(new URL("../../../bin/berth", import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts `berth` with only PATH of this process's environment variables. */
export function startBerth(
  args: string[],
  { env = {}, cwd = "/" }: { env?: Record<string, string>; cwd?: string } = {},
) {
  const child = spawn(binary, args, {
    env: { PATH: process.env.PATH ?? "", XDG_CONFIG_HOME: "/nonexistent", BERTH_ROOTFS: "host", ...env },
    cwd,
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(
    ([stdout, stderr, [code]]): Ended => ({ code, stdout, stderr }),
  );
  return { child, ended };
}

/** Runs `berth` to its end, with `input` on its standard input. */
export async function berth(
  args: string[],
  options: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<Ended> {
  const { child, ended } = startBerth(args, options);
  child.stdin.end(options.input ?? "");
  return ended;
}
