import type { ResultBlock } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { z } from "zod";

/** A tool of the toolset: what the model is told of it, and what it does in the sandbox. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Strict: unknown fields are refused, so that a misspelt option is told to the model. */
  readonly input: z.ZodType;
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
