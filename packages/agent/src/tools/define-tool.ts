import type { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";

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
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
