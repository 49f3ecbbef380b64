import type { PermissionPolicy, ResultBlock } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { z } from "zod";

/** What a model is told of a tool, and what its calls are held to. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** Strict where the tool is ours: unknown fields are refused, so that a misspelt option is told to the model. */
  readonly input: z.ZodType;
  /** What the model is told of `input`, as JSON Schema; by default what follows from it. Always the same bytes. */
  readonly inputSchema?: Record<string, unknown>;
}

/** A tool that the service runs: one of the toolset, in the sandbox, or one of an MCP server. */
export interface Tool extends ToolSpec {
  /** The MCP server that runs it: its calls are logged as `agent.mcp_tool_use`, under the name that the server gives it. */
  readonly mcp?: { readonly server: string; readonly name: string };
  /** Whether calls of it are run, run when a client has confirmed them, or refused; by default as the agent's config of that name says. */
  readonly permission?: PermissionPolicy["type"];
  /**
   * Runs with an input that fits the schema. What goes wrong inside the sandbox is a result with `isError`;
   * a rejection is a broken sandbox or a bug.
   */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

export interface ToolContext {
  /** Waits until the sandbox is open and its repositories and files are in place. */
  sandbox(): Promise<Sandbox>;
  /** Present variables of every command (tokens, the session's own); read anew at each call. */
  environment(): Promise<Readonly<Record<string, string>>>;
  signal: AbortSignal;
}

export interface ToolResult {
  content: ResultBlock[];
  isError: boolean;
}

/** A tool whose `run` is typed by its schema. */
export function defineTool<Input extends z.ZodType>(tool: {
  name: string;
  description: string;
  input: Input;
  run(input: z.output<Input>, context: ToolContext): Promise<ToolResult>;
}): Tool {
  return { ...tool, run: (input, context) => tool.run(input as z.output<Input>, context) };
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: false };
}

export function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** `1 line`, `2 lines`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
