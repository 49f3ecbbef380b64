import type { Operation } from "@berth/sdk";

/** Whether an operation takes something away that cannot be brought back. */
export function deletes({ id, method }: Operation): boolean {
  return method === "DELETE" || id === "memoryVersions.redact";
}
