import type { Operation } from "@berth/sdk";

/** Returns whether an operation irreversibly deletes something. */
export function deletes({ id, method }: Operation): boolean {
  return method === "DELETE" || id === "memoryVersions.redact";
}
