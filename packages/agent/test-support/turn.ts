import type { SessionAgent } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import { z } from "zod";
import type { Turn } from "../src/loop/turn.ts";
import { defineTool, type Tool, type ToolResult, textResult } from "../src/tools/tool.ts";
import { MemoryLog } from "./memory-log.ts";
import { scriptedModel } from "./scripted-model.ts";

export const testAgent: SessionAgent = {
  id: "agent_00000000000000000000000000",
  type: "agent",
  name: "test",
  description: null,
  model: { id: "scripted/model", effective_context_window: 200_000 },
  system: "You are tested.",
  tools: [],
  mcp_servers: [],
  skills: [],
  version: 1,
};

/** Creates a turn with defaults that a test overrides. `sleep` returns at once, and there is no sandbox. */
export function testTurn(parts: Partial<Turn> = {}): Turn {
  return {
    agent: testAgent,
    workspaceDescription: "",
    model: scriptedModel([]),
    tools: [],
    log: new MemoryLog(),
    readFile: async () => null,
    sleep: async (_, signal) => signal.throwIfAborted(),
    random: () => 0,
    sandbox: () => Promise.reject<Sandbox>(new Error("This turn has no sandbox.")),
    environment: async () => ({}),
    signal: new AbortController().signal,
    ...parts,
  };
}

/** Creates a clock that only moves when a turn sleeps. `waits` has the milliseconds of each sleep. */
export function testClock(): Required<Pick<Turn, "now" | "sleep">> & { waits: number[] } {
  let time = Date.parse("2026-11-28T12:00:00.000Z");
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      waits.push(milliseconds);
      time += milliseconds;
    },
  };
}

/** Creates a tool with the input `{text}`, whose result is that of `run`. */
export function testTool(
  name: string,
  run: (text: string, signal: AbortSignal) => Promise<ToolResult> | ToolResult = (text) => textResult(text),
): Tool {
  return defineTool({
    name,
    description: "A tool of a test.",
    input: z.strictObject({ text: z.string() }),
    run: async ({ text }, { signal }) => await run(text, signal),
  });
}
