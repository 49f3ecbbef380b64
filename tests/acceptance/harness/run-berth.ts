import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const BINARY = join(import.meta.dirname, "../../../bin/berth");

/** Runs `bin/berth`, which may fail. Returns its exit code and its output, with stderr after a failure. */
export async function runBerth(
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<{ code: number; said: string }> {
  const env = { ...process.env, ...settings };
  return await promisify(execFile)(BINARY, args, { env }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }) => ({ code, said: `${stdout}${stderr}`.trim() }),
  );
}
