import type { Config } from "./config.ts";

/** `all`: the whole service. `api`: no sandboxes, so it needs no root. `runner`: no API. `egress`: the network of sandboxes that run elsewhere. */
export const ROLES = ["all", "api", "runner", "egress"] as const;
export type Role = (typeof ROLES)[number];

/** A part of a service shares what the other parts, on whatever machine, store. @throws one sentence about what is missing. */
export function requireShared({ role, databaseUrl, blobs }: Config): void {
  if (role === "all") return;
  if (databaseUrl === null)
    throw new Error(
      `The role ${role} needs BERTH_DATABASE_URL, a PostgreSQL that the other services use too: the embedded one has no other users.`,
    );
  if (blobs === "disk" && role !== "egress")
    throw new Error(
      `The role ${role} needs BERTH_BLOBS, a place for the contents of files that the other services have too: those below its own data directory nobody else would find.`,
    );
}

/** Whether it serves nothing but its health and metrics over HTTP, at `runnerAddress`. */
export function hasNoApi({ role }: Pick<Config, "role">): boolean {
  return role === "runner" || role === "egress";
}

/** @throws one sentence when there is a way around a pooler, and no pooler. */
export function requirePooler({ databaseUrl, databaseDirectUrl }: Config): void {
  if (databaseDirectUrl !== null && databaseUrl === null)
    throw new Error(
      "BERTH_DATABASE_DIRECT_URL needs BERTH_DATABASE_URL, which leads to the same database through a pooler.",
    );
}
