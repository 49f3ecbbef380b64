import { runScript, type ScriptOutcome } from "./run-script.ts";
import type { ToolContext } from "./tool.ts";

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

/** Exit code 40: no such folder. FIRST: number of NUL-terminated names to read; empty for all. */
const SCRIPT = `
[ -f "$FOLDER" ] && FOLDER=$(dirname "$FOLDER")
cd "$FOLDER" 2>/dev/null || exit 40
set --
place=1
while [ "$place" -le "$COUNT" ]; do
  eval "set -- \\"\\$@\\" \\"\\$ARGUMENT_$place\\""
  place=$((place + 1))
done
exec 3>&1
if [ -n "$FIRST" ]; then
  errors=$( { rg --no-config "$@" </dev/null | head -z -n "$FIRST" >&3; } 2>&1 )
else
  errors=$(rg --no-config "$@" </dev/null 2>&1 >&3)
fi
code=$?
printf '\\0%s' "$errors"
exit "$code"
`;
