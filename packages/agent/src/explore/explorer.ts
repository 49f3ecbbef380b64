import {
  DEFAULT_EXPLORE_BUDGET,
  DEFAULT_RESULT_BYTES,
  type SessionAgent,
  type StopReason,
} from "@berth/contract";
import type { ExploreCall, Explorer } from "../calls/explorer.ts";
import { runTurn } from "../loop/run-turn.ts";
import type { Turn } from "../loop/turn.ts";
import type { Model } from "../models/model.ts";
import { EXPLORE_PROMPT } from "../prompts/explore-prompt.ts";
import * as notes from "../prompts/notes.ts";
import { toolConfig } from "../tools/agent-toolsets.ts";
import { failure, type Question, type Tool, type ToolResult } from "../tools/tool.ts";
import { toolDefinitions } from "../tools/toolset.ts";
import { answerOf, answerResult } from "./answer.ts";
import { NestedLog } from "./nested-log.ts";

/** The session's parts that nested loops of Explore use. Several may call `sleep` at the same time. */
export interface ExploreDeps
  extends Pick<
    Turn,
    | "sandbox"
    | "hasSandbox"
    | "environment"
    | "secrets"
    | "sleep"
    | "now"
    | "random"
    | "busyRetryMs"
    | "spending"
  > {
  agent: SessionAgent;
  /** The tools that it searches with; see `searchTools`. */
  tools: readonly Tool[];
  /** Returns null when the installation does not have the model. The window is in tokens. */
  model(choice: { id: string; effective_context_window?: number }): Model | null;
}

const CUT_OFF = "Its model reached its output limit, so this may not be all.";

/**
 * Creates the Explore function, which runs one turn of the agent loop, with its own log, for each question.
 * The turn has its own budget of requests and tokens. When that is spent, a last request, in which no call is
 * run, asks for an answer from what was found. The tools stay in that request: providers reject calls in a
 * history without their tools, and their prompt caches begin with the tools.
 */
export function explorer(deps: ExploreDeps): Explorer {
  const { agent, tools } = deps;
  const config = toolConfig(agent, "Explore");
  const maxRequests = config?.max_requests ?? DEFAULT_EXPLORE_BUDGET.max_requests;
  const maxTokens = config?.max_tokens ?? DEFAULT_EXPLORE_BUDGET.max_tokens;
  const maxBytes = config?.max_result_bytes ?? DEFAULT_RESULT_BYTES.Explore;
  return async (question, call) => {
    const choice = modelOf(agent);
    const model = deps.model(choice);
    if (model === null) return failure(`Explore did not run: there is no model '${choice.id}' here.`);
    if (tools.length === 0)
      return failure(
        "Explore did not run: it searches with Read, Grep and Glob, and this agent may use none of them unasked.",
      );
    const log = asked(question, call);
    const own = { ...choice, id: model.id, effective_context_window: model.contextWindow };
    const run = async (tools: readonly Tool[], requests: number, tokens?: number) =>
      await runTurn(
        turnOf({ ...deps, agent: { ...agent, model: own }, tools }, model, log, call, { requests, tokens }),
      );
    const end = await run(tools, maxRequests - 1, maxTokens);
    const { responses, tokens } = log.copy.history();
    if (end.type !== "max_turns") return resultOf(end, log, maxBytes);
    if (responses < maxRequests - 1 && tokens < maxTokens) return resultOf(end, log, maxBytes, [CUT_OFF]);
    log.ask(notes.ANSWER_NOW);
    const last = await run(tools.map(denied), responses + 1);
    const spent = `Its budget of ${maxRequests} requests and ${maxTokens} tokens ended before it was done.`;
    return resultOf(last, log, maxBytes, [spent]);
  };
}

/** Returns the agent's own model settings when Explore uses the agent's model, otherwise only the id. */
function modelOf(agent: SessionAgent): Partial<SessionAgent["model"]> & { id: string } {
  const id = toolConfig(agent, "Explore")?.model;
  return id === undefined || id === agent.model.id ? agent.model : { id };
}

function asked({ question, path }: Question, { log, eventId }: ExploreCall): NestedLog {
  const nested = new NestedLog(log, eventId);
  nested.ask(path === null ? question : `${question}\n\nBegin at ${path}.`);
  return nested;
}

function turnOf(
  { agent, tools, model: _, ...deps }: ExploreDeps,
  model: Model,
  log: NestedLog,
  { signal }: ExploreCall,
  { requests, tokens }: { requests: number; tokens: number | undefined },
): Turn {
  return {
    ...deps,
    // A nested loop has no long pauses, and its tokens are counted without those of a one-hour cache.
    agent: { ...agent, model: { ...agent.model, cache_ttl: "5m" }, max_model_requests: requests, tools: [] },
    model,
    tools,
    prefix: { system: EXPLORE_PROMPT, tools: toolDefinitions(tools) },
    workspaceDescription: "",
    isNested: true,
    log,
    readFile: async () => null,
    signal,
    ...(tokens !== undefined && { maxTokens: tokens }),
  };
}

function denied(tool: Tool): Tool {
  return { ...tool, permission: "always_deny" };
}

function resultOf(
  end: StopReason,
  log: NestedLog,
  maxBytes: number,
  more: readonly string[] = [],
): ToolResult {
  switch (end.type) {
    case "cancelled":
      return failure(notes.STOPPED_CALL);
    case "refusal":
      return failure("Explore ended: its model refused to answer.");
    case "budget_reached":
      return failure("Explore ended: a budget has too little left for its next request.");
    case "retries_exhausted":
      return failure(`Explore failed: ${errorOf(log)}`);
    default:
      return answerResult(answerOf(log.copy.history()), maxBytes, more);
  }
}

function errorOf({ copy }: NestedLog): string {
  const last = copy.entries.findLast(({ event }) => event.type === "session.error")?.event;
  return last?.type === "session.error" ? last.error.message : "its model does not answer.";
}
