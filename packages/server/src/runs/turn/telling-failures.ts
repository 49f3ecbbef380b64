import type { Tool } from "@berth/agent";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";

/**
 * The same tools, which tell the model once of what could not be put in place: what it was promised at the start of the
 * session stays as it was written, so the news comes with the first result after it.
 */
export function tellingFailures(
  tools: readonly Tool[],
  workspace: Pick<SessionWorkspace, "takeNotes">,
): Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async run(input, context) {
      const result = await tool.run(input, context);
      const notes = workspace.takeNotes().map((text) => ({ type: "text" as const, text }));
      return notes.length === 0 ? result : { ...result, content: [...result.content, ...notes] };
    },
  }));
}
