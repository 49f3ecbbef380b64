import type { PermissionPolicy, ResultBlock } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { z } from "zod";

/** A tool as the model sees it, and the schema that its calls must match. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** Strict for the service's own tools: unknown fields are rejected, so that the model learns of a misspelt option. */
  readonly input: z.ZodType;
  /** JSON Schema of `input` for the model, always the same bytes. Default: generated from `input`. */
  readonly inputSchema?: Record<string, unknown>;
}

/** A tool that the service runs: one of the toolset, in the sandbox, or one of an MCP server. */
export interface Tool extends ToolSpec {
  /** The MCP server that runs it. Its calls are logged as `agent.mcp_tool_use`, with the server's name for the tool. */
  readonly mcp?: { readonly server: string; readonly name: string };
  /** The permission policy of its calls. Default: the agent's config for the tool's name. */
  readonly permission?: PermissionPolicy["type"];
  /** Its calls change nothing, and print nothing while they run. */
  readonly readsOnly?: true;
  /** Its calls change files and are short: calls behind one of them in a response begin when it has ended. */
  readonly changesFiles?: true;
  /** When its signal aborts it ends what it began, and is waited for until it has. Default: half a second. */
  readonly endsItself?: true;
  /**
   * Runs with an input that matches the schema. An error inside the sandbox is a result with `isError`; a rejection means a
   * broken sandbox or a bug.
   */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

export interface ToolContext {
  /** Waits until the sandbox is open and its repositories and files are in place. */
  sandbox(): Promise<Sandbox>;
  /** The current variables of every command: tokens and the session's own. Called for each command. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** Secrets that commands were given so far, in `environment` or otherwise. Default none. */
  secrets?(): readonly string[];
  /** A text as the log will have it, without the session's secrets. Default: as it is. */
  mask?(text: string): string;
  /** It is a call of a call's own loop: the agent itself does not see what it reads. */
  isNested?: boolean;
  signal: AbortSignal;
  /** Takes what a command of the call prints, as it comes. */
  onOutput?(bytes: Uint8Array): void;
  /** The other calls of the same tool in the same response. Absent: there are none. */
  beside?: SideBySide;
  /** The calls of the tool in earlier responses, as the model still sees them, newest first. Default none. */
  earlier?(tool: string): Iterable<EarlierCall>;
  /** Answers a question in a loop of its own, whose events are in the log below the call. Absent: this process has none. */
  explore?(question: Question): Promise<ToolResult>;
}

/** What Explore is asked. */
export interface Question {
  question: string;
  /** The file or folder to begin with, absolute; null: the agent did not say. */
  path: string | null;
}

/** A call that has a result. */
export interface EarlierCall {
  input: Readonly<Record<string, unknown>>;
  /** The first text of the result. */
  text: string;
}

/** Calls of one tool that run at the same time. */
export interface SideBySide {
  /** There are some after this one. */
  readonly hasLater: boolean;
  /** Resolves when each of those before it has begun or ended. */
  readonly earlierBegun: Promise<void>;
  /** To be called when this one has begun. */
  begin(): void;
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
  readsOnly?: true;
  changesFiles?: true;
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
