import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accepts } from "./token.ts";

/**
 * Rejects when a Berth serves this data directory already: two would share the sessions, and only one of them knows the git
 * server of the first session. It is known by its address in `client.json` and by taking the token that lies beside it.
 */
export async function refuseSecond(dataDir: string): Promise<void> {
  const read = (name: string) => readFile(join(dataDir, name), "utf8");
  const [client, token] = await Promise.all([read("client.json"), read("token")]).catch(() => ["{}", ""]);
  const { url } = JSON.parse(client) as { url?: string };
  if (url === undefined || !(await accepts(url, token.trim()))) return;
  throw new Error(
    `Berth runs on ${dataDir} already, at ${url}. Stop it first, or give another --data-dir and --port.`,
  );
}
