import { runScript, type ScriptOutcome, toolScript } from "./run-script.ts";
import type { ToolContext } from "./tool.ts";

const SCRIPT = toolScript("run-ripgrep");

/**
 * Runs ripgrep in the sandbox, in the folder `cwd`, which its globs are relative to. If `cwd` is a file, its
 * folder is used. The output is ripgrep's standard output, a NUL, and its standard error.
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
