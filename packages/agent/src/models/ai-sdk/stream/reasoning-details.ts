import { type Data, isObject } from "./event-rules.ts";

/** Fields that arrive in pieces; other fields arrive whole. */
const IN_PIECES = new Set(["text", "summary", "data"]);

/** Merges the pieces of a delta into the details with the same type and index. */
export function addReasoningDetails(details: Data[], pieces: unknown): void {
  if (!Array.isArray(pieces)) return;
  for (const piece of pieces.filter(isObject)) {
    const last = details.findLast(({ type, index }) => type === piece.type && index === piece.index);
    if (last === undefined || startsAnew(last, piece)) details.push({ ...piece });
    else extend(last, piece);
  }
}

function startsAnew(last: Data, { id }: Data): boolean {
  return typeof id === "string" && typeof last.id === "string" && id !== last.id;
}

function extend(detail: Data, piece: Data): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = detail[key];
    if (IN_PIECES.has(key) && typeof before === "string" && typeof value === "string")
      detail[key] = before + value;
    else if (value !== null) detail[key] = value;
  }
}
