import type { Tool } from "@berth/agent";
import type { SessionMemory } from "./session-memory.ts";

/** The same tools, around whose calls the mounted memory stores are brought up to date. */
export function syncingMemory(tools: readonly Tool[], memory: Pick<SessionMemory, "around">): Tool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input: tool.input,
    run: (input, context) =>
      memory.around(
        () => context.sandbox(),
        () => tool.run(input, context),
        context.signal,
      ),
  }));
}
