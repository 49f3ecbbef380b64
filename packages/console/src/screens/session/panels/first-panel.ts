import type { Session } from "@berth/sdk";
import type { CallRow, SessionView } from "../log/view.ts";
import type { PanelId } from "../scope/panel-ids.ts";

/** Returns the panel that is open by default: one that has something to show. */
export function firstPanel(
  { resources }: Pick<Session, "resources">,
  { rows }: Pick<SessionView, "rows">,
): PanelId {
  const calls = rows.filter((row): row is CallRow => row.kind === "call" && row.state === "done");
  const repositories = resources.filter((one) => "url" in one);
  if (repositories.length > 0 && calls.some(mayChange)) return "changes";
  if (calls.some(({ use }) => use.type === "agent.tool_use")) return "workspace";
  return resources.length > 0 ? "resources" : "details";
}

function mayChange({ use }: CallRow): boolean {
  return use.type === "agent.tool_use" && ["Bash", "Edit", "Write"].includes(use.name);
}
