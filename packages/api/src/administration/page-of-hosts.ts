import type { adminRoutes, Host, Input, Page } from "@berth/contract";
import { onwardPage, openCursor } from "../request/page.ts";
import type { OperatorRequest } from "./admin-mount.ts";

/** Returns a page of all hosts, by id. A cursor holds the last host of the previous page. */
export function pageOfHosts(
  request: OperatorRequest,
  input: Input<typeof adminRoutes.adminHosts.list>,
  all: readonly Host[],
): Page<Host> {
  const after = openCursor(request, input)?.position ?? "";
  const left = all.filter(({ id }) => id > after).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return onwardPage(request, input, left);
}
