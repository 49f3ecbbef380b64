import type { Turn } from "@berth/agent";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import { turnTools } from "./turn-tools.ts";

/** Returns the beginning of every request of a session. Rejects with the signal's reason when it aborts. */
export async function prepareTurn(
  workspace: SessionWorkspace,
  mask: (text: string) => string,
  signal: AbortSignal,
): Promise<Pick<Turn, "workspaceDescription" | "tools">> {
  const description = await workspace.describe();
  const tools = await turnTools(workspace, mask, signal);
  const sections = [description, workspace.mcpInstructions()].filter((section) => section !== "");
  return { workspaceDescription: sections.join("\n\n"), tools };
}
