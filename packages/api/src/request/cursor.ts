import { createHmac, timingSafeEqual } from "node:crypto";

/** Position where a page ends, and its reader's direction. Only the list itself interprets `position`. */
export interface Cursor {
  direction: "older" | "newer";
  position: string;
}

/** Scope of a cursor: the list with its parameters and filters, and the caller. */
export interface CursorScope {
  operation: string;
  params: Record<string, string>;
  filters: Record<string, unknown>;
  principalId: string;
}

/** Signs and verifies cursors. One that was altered, or is of another list or caller, is rejected. */
export interface Cursors {
  seal(scope: CursorScope, cursor: Cursor): string;
  /** Returns null for text that this service did not seal for this scope. */
  open(scope: CursorScope, text: string): Cursor | null;
}

const MAC_BYTES = 16;

/** Returns cursors that are signed with a key of the installation. */
export function createCursors(key: Uint8Array): Cursors {
  const mac = (scope: CursorScope, body: string) =>
    createHmac("sha256", key)
      .update(canonical(scope))
      .update("\0")
      .update(body)
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    seal(scope, cursor) {
      const body = `${cursor.direction === "older" ? "o" : "n"}${cursor.position}`;
      return Buffer.concat([mac(scope, body), Buffer.from(body)]).toString("base64url");
    },
    open(scope, text) {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== text) return null;
      const body = bytes.subarray(MAC_BYTES).toString();
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(scope, body))) return null;
      return { direction: body.startsWith("o") ? "older" : "newer", position: body.slice(1) };
    },
  };
}

function canonical({ operation, params, filters, principalId }: CursorScope): string {
  const sorted = (record: Record<string, unknown>) =>
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([operation, sorted(params), sorted(filters), principalId]);
}
