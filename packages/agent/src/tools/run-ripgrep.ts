import { runScript, type ScriptOutcome, toolScript } from "./run-script.ts";
import type { ToolContext } from "./tool.ts";

const SCRIPT = toolScript("run-ripgrep");

/**
 * Runs ripgrep in the sandbox, in the folder `cwd`, which its globs are relative to. For a file it is the folder that holds it.
 * The output is what ripgrep writes to standard output, a NUL, and what it writes to standard error.
 */
export async function runRipgrep(
  context: ToolContext,
  options: { arguments: readonly string[]; cwd: string; maxOutputBytes: number; firstNames?: number },
): Promise<ScriptOutcome> {
  const variables: Record<string, string> = {
    FOLDER: options.cwd,
    COUNT: String(options.arguments.length),
    FIRST: String(options.firstNames ?? ""),
  };
  for (const [index, argument] of options.arguments.entries()) variables[`ARGUMENT_${index + 1}`] = argument;
  const { maxOutputBytes } = options;
  return await runScript(context, { script: SCRIPT, variables, timeoutMs: 60_000, maxOutputBytes });
}
