import type { Draft } from "@berth/agent";
import { noteTold, type Sandbox, untoldProcesses } from "@berth/sandbox";

const MAX_NAMED = 10;
const MAX_LENGTH = 160;

const ENDED =
  "[The sandbox was closed and opened again since your last command. Processes that were running have ended: ";

/** How the notes begin that stay on the disk until a result with them is in the log: this one, and those of `restore-shell.sh`. */
const KEPT_NOTES = [ENDED, "[This is a new shell. ", "[The shell began anew: "];

/** What the model is to be told, once, of the processes that ended with earlier sandboxes on this disk; empty when there were none. */
export async function endedProcessesNote(sandbox: Pick<Sandbox, "run">): Promise<string[]> {
  const ended = await untoldProcesses(sandbox).catch(() => []);
  if (ended.length === 0) return [];
  const named = ended.slice(0, MAX_NAMED).map((line) => `\`${line.slice(0, MAX_LENGTH)}\``);
  const more = ended.length > MAX_NAMED ? ", and more" : "";
  return [`${ENDED}${named.join(", ")}${more}.]`];
}

/**
 * Removes the notes from the disk when these results, which are in the log now, told them. A runner that dies before leaves them
 * to the next one; one that dies in between tells them twice.
 */
export async function forgetTold(
  drafts: readonly Draft[],
  sandbox: () => Promise<Pick<Sandbox, "run"> | undefined>,
): Promise<void> {
  if (!drafts.some(tells)) return;
  const opened = await sandbox();
  if (opened !== undefined) await noteTold(opened).catch(() => undefined);
}

function tells({ event }: Draft): boolean {
  if (event.type !== "agent.tool_result" && event.type !== "agent.mcp_tool_result") return false;
  return event.content.some(
    (block) => block.type === "text" && KEPT_NOTES.some((note) => block.text.startsWith(note)),
  );
}
