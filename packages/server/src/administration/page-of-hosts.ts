import type { adminRoutes, Host, Input, Page } from "@berth/contract";
import { cursorScope, openCursor } from "../request/page.ts";
import type { OperatorRequest } from "./by-request.ts";

/** A page of all hosts, by id. A cursor holds the last one of the page before. */
export function pageOfHosts(
  request: OperatorRequest,
  input: Input<typeof adminRoutes.adminHosts.list>,
  all: readonly Host[],
): Page<Host> {
  const after = openCursor(request, input)?.position ?? "";
  const left = all.filter(({ id }) => id > after).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const data = left.slice(0, input.query.limit);
  const last = data.at(-1);
  const more = left.length > data.length && last !== undefined;
  return {
    data,
    next_page: more
      ? request.cursors.seal(cursorScope(request, input), { direction: "older", position: last.id })
      : null,
    first_id: data[0]?.id ?? null,
    last_id: last?.id ?? null,
    has_more: more,
  };
}
