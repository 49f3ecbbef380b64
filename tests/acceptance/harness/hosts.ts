import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyJson } from "./api.ts";
import type { Berth } from "./berth.ts";
import { waitUntil } from "./wait-until.ts";

/** Returns the id of a service's host. */
export function hostOf({ dataDir }: Pick<Berth, "dataDir">): string {
  return readFileSync(join(dataDir, "installation"), "utf8").trim();
}

/** Returns the hosts that `berth admin hosts list` would print. */
export async function listHosts(berth: Berth): Promise<AnyJson[]> {
  return (await (await berth.operator()).ok("GET", "/api/v1/admin/hosts")).data;
}

/**
 * Does what `berth admin hosts ACTION` does to a host, without starting a process; `forget` as with
 * `--force`. Waits for the host: a service answers a moment before its own is listed.
 */
export async function administerHost(
  berth: Berth,
  action: "drain" | "resume" | "forget",
  id: string,
): Promise<void> {
  await waitUntil(
    async () => (await listHosts(berth)).some((host) => host.id === id),
    () => `The host ${id} is not listed.`,
  );
  const body = action === "forget" ? { force: true } : undefined;
  await (await berth.operator()).ok("POST", `/api/v1/admin/hosts/${id}/${action}`, body);
}
