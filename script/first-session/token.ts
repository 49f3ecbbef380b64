import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Berth } from "@berth/sdk";

const BERTH = fileURLToPath(new URL("../../bin/berth", import.meta.url));

/**
 * Returns an access token for the first user: that of an earlier start if it is still valid, otherwise a new
 * one.
 */
export async function tokenFor(dataDir: string, url: string): Promise<{ token: string; file: string }> {
  const file = join(dataDir, "token");
  const known = await readFile(file, "utf8").catch(() => "");
  if (await acceptsToken(url, known.trim())) return { token: known.trim(), file };
  const args = ["bootstrap", "--data-dir", dataDir, "--user", "you@localhost", "--role", "admin"];
  const { stdout } = await promisify(execFile)(BERTH, args);
  await writeFile(file, stdout, { mode: 0o600 });
  return { token: stdout.trim(), file };
}

/** Whether a Berth at `url` accepts the token. */
export async function acceptsToken(url: string, token: string): Promise<boolean> {
  if (token === "") return false;
  const client = new Berth({ baseURL: url, token, maxRetries: 0, timeout: 2_000 });
  return client.sessions.list({ limit: 1 }).then(
    () => true,
    () => false,
  );
}
