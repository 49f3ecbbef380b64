import type { Config } from "./config.ts";

/**
 * Roles of a service. `all` is the whole service. `api` has no sandboxes, so it needs no root. `runner` has
 * no API. `egress` is the network of sandboxes on other hosts.
 */
export const ROLES = ["all", "api", "runner", "egress"] as const satisfies readonly Role[];
export type Role = Config["role"];

/**
 * Requires that a partial service uses the database and contents that the other services use, on whatever
 * host.
 * @throws Error with one sentence about the missing setting.
 */
export function requireShared({ role, databaseUrl, blobs }: Config): void {
  if (role === "all") return;
  if (databaseUrl === null)
    throw new Error(
      `The role ${role} needs BERTH_DATABASE_URL, the PostgreSQL that the other services use: no other service can reach the embedded one.`,
    );
  if (blobs === "disk" && role !== "egress")
    throw new Error(
      `The role ${role} needs BERTH_BLOBS, the place for file contents that the other services use: no other service can read this data directory.`,
    );
}

/** Returns whether the service serves only health and metrics over HTTP, at `runnerAddress`. */
export function hasNoApi({ role }: Pick<Config, "role">): boolean {
  return role === "runner" || role === "egress";
}

/** Requires a pooler where a URL that bypasses one is set. @throws Error with one sentence. */
export function requirePooler({ databaseUrl, databaseDirectUrl }: Config): void {
  if (databaseDirectUrl !== null && databaseUrl === null)
    throw new Error(
      "BERTH_DATABASE_DIRECT_URL needs BERTH_DATABASE_URL, which leads to the same database through a pooler.",
    );
}
