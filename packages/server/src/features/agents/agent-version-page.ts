import { type Agent, type agentRoutes, formatId, type Input, type Page } from "@berth/contract";
import { createdSpan } from "../../db/keyset.ts";
import type { Context } from "../../http/context.ts";
import { cursorScope, openCursor } from "../../http/page.ts";
import { type AgentRow, agentAnswer } from "./agent-store.ts";
import type { VersionPlace } from "./agent-version-store.ts";

type ListInput = Input<typeof agentRoutes.versions>;

/** The part of an agent's versions that a request asks for. A cursor holds the version before it. @throws errors.invalid */
export function versionPlace(context: Context, input: ListInput): VersionPlace {
  const rows = input.query.limit + 1;
  const cursor = openCursor(context, input);
  const below = cursor === null ? null : Number(cursor.position);
  return { rows, below, ...createdSpan(input.query) };
}

export function versionPage(context: Context, input: ListInput, rows: readonly AgentRow[]): Page<Agent> {
  const shown = rows.slice(0, input.query.limit);
  const last = shown.at(-1);
  const more = rows.length > shown.length && last !== undefined;
  const id = last === undefined ? null : formatId("agent", last.id);
  const scope = cursorScope(context, input);
  return {
    data: shown.map(agentAnswer),
    next_page: more
      ? context.cursors.seal(scope, { direction: "older", position: String(last.version) })
      : null,
    first_id: id,
    last_id: id,
    has_more: more,
  };
}
