import type { Operation } from "@berth/sdk";

/** Returns whether an operation irreversibly deletes something. */
export function deletes({ id, method }: Operation): boolean {
  return (method === "DELETE" && !/\.(unshare|markUnseen)$/.test(id)) || id === "memoryVersions.redact";
}
