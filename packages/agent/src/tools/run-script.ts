import { readFileSync } from "node:fs";
import type { CommandResult } from "@berth/sandbox";
import * as notes from "../prompts/notes.ts";
import { runInTick } from "./run-in-tick.ts";
import { failure, type ToolContext, type ToolResult } from "./tool.ts";

/**
 * Reads a script of `packages/agent/scripts`. Its comments are removed, so that they do not change the line
 * numbers in errors of the shell, which a model sees.
 */
export function toolScript(name: string): string {
  const url = new URL(`../../scripts/${name}.sh`, import.meta.url);
  return readFileSync(url, "utf8").replaceAll(/^#.*\n/gm, "");
}

/** A fixed script. Values of a model or file are passed as variables or standard input, never as code. */
export interface Script {
  script: string;
  variables: Readonly<Record<string, string>>;
  stdin?: Uint8Array;
  /** Default 30,000. */
  timeoutMs?: number;
  /** Default 102,400. */
  maxOutputBytes?: number;
}

export type ScriptOutcome =
  | { type: "ended"; code: number; output: Buffer; omittedBytes: number }
  /** The script was stopped before it ended; `result` says why. */
  | { type: "stopped"; result: ToolResult };

/** Runs a script in a new shell in the sandbox, without the session's tokens. */
export async function runScript(context: ToolContext, script: Script): Promise<ScriptOutcome> {
  const sandbox = await context.sandbox();
  const { stdin, timeoutMs = 30_000, maxOutputBytes = 102_400 } = script;
  const result = await runInTick(sandbox, {
    script: script.script,
    environment: { ...script.variables, LC_ALL: "C.UTF-8" },
    timeoutMs,
    maxOutputBytes,
    signal: context.signal,
    ...(stdin === undefined ? {} : { stdin }),
  });
  if (result.ended === "exit" && result.exitCode !== null) {
    const { exitCode: code, omittedBytes } = result;
    return { type: "ended", code, output: Buffer.from(result.output), omittedBytes };
  }
  return { type: "stopped", result: failure(stoppedText(result.ended, timeoutMs)) };
}

/** Returns why a command was stopped, for the model. */
export function stoppedText(ended: CommandResult["ended"], timeoutMs: number): string {
  if (ended === "timeout") return `Stopped: it took longer than ${timeoutMs / 1000} s.`;
  if (ended === "closed") {
    return "The sandbox stopped while this ran, so its outcome is unknown. The next call starts the sandbox again on the same disk, with the shell as the command before this one left it; processes that were running are gone.";
  }
  return notes.STOPPED_CALL;
}
