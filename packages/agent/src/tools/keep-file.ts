import { randomBytes } from "node:crypto";
import { runScript, toolScript } from "./run-script.ts";
import type { ToolContext } from "./tool.ts";

const SCRIPT = toolScript("keep-file");
/** The folder in the sandbox that also has long outputs of commands. */
const DIRECTORY = "/var/tmp/output";
const TIMEOUT_MS = 120_000;

/**
 * Writes content that is too long for a result to a new file of the sandbox. Returns its path, or null when
 * it cannot be stored: without a sandbox, or when the disk is full. Rejects when the context's signal aborts.
 *
 * @param extension of the file's name.
 */
export async function keepFile(
  context: ToolContext,
  bytes: Uint8Array,
  extension: string,
): Promise<string | null> {
  const path = `${DIRECTORY}/${randomBytes(6).toString("hex")}.${extension}`;
  try {
    const outcome = await runScript(context, {
      script: SCRIPT,
      variables: { FILE: path },
      stdin: bytes,
      timeoutMs: TIMEOUT_MS,
    });
    return outcome.type === "ended" && outcome.code === 0 ? path : null;
  } catch (error) {
    if (context.signal.aborted) throw error;
    return null;
  }
}
