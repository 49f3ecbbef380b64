import type { Page } from "@berth/contract";
import { type CursorInput, cursorScope, type ListRequest, openCursor } from "./page.ts";

/**
 * Returns a page of a list that is whole in memory and keeps its order while the service runs. A cursor
 * holds the number of objects before it.
 */
export function fixedList<Item extends { id: string }>(
  request: ListRequest,
  input: CursorInput,
  items: readonly Item[],
): Page<Item> {
  const start = Number(openCursor(request, input)?.position ?? 0);
  const end = start + input.query.limit;
  const data = items.slice(start, end);
  const more = end < items.length;
  const scope = cursorScope(request, input);
  return {
    data,
    next_page: more ? request.cursors.seal(scope, { direction: "older", position: `${end}` }) : null,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: more,
  };
}
