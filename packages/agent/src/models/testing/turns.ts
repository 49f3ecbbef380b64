import { formatId, newUuid, type SessionAgent } from "@berth/contract";
import { z } from "zod";
import type { Log } from "../../log.ts";
import type { Model } from "../../model.ts";
import type { Tool } from "../../tool.ts";
import type { Turn } from "../../turn.ts";

/** A turn of an agent with the tool `Look`, whose runs are told to `looked`. It waits for no retry. */
export function turnWith(model: Model, log: Log, looked: (at: string) => void): Turn {
  return {
    model,
    log,
    tools: [lookTool(looked)],
    agent: agentWith(model),
    surroundings: "There is nothing here.",
    signal: new AbortController().signal,
    sandbox: () => Promise.reject(new Error("There is no sandbox.")),
    environment: async () => ({}),
    sleep: async () => {},
  };
}

function lookTool(looked: (at: string) => void): Tool {
  const input = z.strictObject({ at: z.string() });
  return {
    name: "Look",
    description: "Looks at something.",
    input,
    async run(given) {
      const { at } = input.parse(given);
      looked(at);
      return { content: [{ type: "text", text: `saw ${at}` }], isError: false };
    },
  };
}

function agentWith(model: Model): SessionAgent {
  return {
    id: formatId("agent", newUuid()),
    type: "agent",
    name: "looker",
    description: null,
    model: { id: model.id, effective_context_window: model.contextWindow },
    system: "You look.",
    tools: [],
    mcp_servers: [],
    skills: [],
    version: 1,
  };
}
