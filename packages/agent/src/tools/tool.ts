import type { PermissionPolicy, ResultBlock } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { z } from "zod";

/** A tool as the model sees it, and the schema that its calls must match. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** Strict for the service's own tools: an error about an unknown field shows the model its mistake. */
  readonly input: z.ZodType;
  /** JSON Schema of `input` for the model, always the same bytes. Default: generated from `input`. */
  readonly inputSchema?: Record<string, unknown>;
}

/** A tool that the service runs: one of the toolset, in the sandbox, or one of an MCP server. */
export interface Tool extends ToolSpec {
  /** The MCP server that runs the tool, and its name there. Calls are logged as `agent.mcp_tool_use`. */
  readonly mcp?: { readonly server: string; readonly name: string };
  /** The permission policy of its calls. Default: the agent's config for the tool's name. */
  readonly permission?: PermissionPolicy["type"];
  /** Set when calls change nothing, and print nothing while they run. */
  readonly readsOnly?: true;
  /** Set when calls change files and are short: later calls of the response begin when it has ended. */
  readonly changesFiles?: true;
  /** Set when a call must be awaited after its signal aborts. By default it has half a second. */
  readonly endsItself?: true;
  /**
   * Runs a call with an input that matches the schema. An error inside the sandbox is a result with
   * `isError`; a rejection means a broken sandbox or a bug.
   */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** The parts of the turn that a call uses. */
export interface ToolContext {
  /** Waits until the sandbox is open and its repositories and files are in place. */
  sandbox(): Promise<Sandbox>;
  /** Returns the variables of a command: tokens and the session's own. Called for each command. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** Returns the secrets that commands were given so far, in `environment` or otherwise. Default none. */
  secrets?(): readonly string[];
  /** Masks the session's secrets in a text, as the log does. Default: the text is unchanged. */
  mask?(text: string): string;
  /** Whether the call is part of a nested loop: the agent itself does not see what it reads. */
  isNested?: boolean;
  signal: AbortSignal;
  /** Receives the output of the call's command as it arrives. */
  onOutput?(bytes: Uint8Array): void;
  /** The other calls of the same tool in the same response; absent when there are none. */
  beside?: SideBySide;
  /** Returns the tool's calls in earlier responses, as the model sees them, newest first. Default none. */
  earlier?(tool: string): Iterable<EarlierCall>;
  /**
   * Answers a question in a nested loop, whose events are logged as part of the call. Absent when this
   * process cannot run Explore.
   */
  explore?(question: Question): Promise<ToolResult>;
}

/** The input of an Explore call. */
export interface Question {
  question: string;
  /** Absolute path of the file or folder to begin with; null when the agent gave none. */
  path: string | null;
}

/** An earlier call and its result. */
export interface EarlierCall {
  input: Readonly<Record<string, unknown>>;
  /** The first text of the result. */
  text: string;
}

/** The state of calls of one tool that run at the same time. */
export interface SideBySide {
  /** Whether there are calls after this one. */
  readonly hasLater: boolean;
  /** Resolves when each call before this one has begun or ended. */
  readonly earlierBegun: Promise<void>;
  /** Must be called when this call has begun. */
  begin(): void;
}

export interface ToolResult {
  content: ResultBlock[];
  isError: boolean;
}

/** Creates a tool whose `run` is typed by its schema. */
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

/** Returns, for instance, `1 line` or `2 lines`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
