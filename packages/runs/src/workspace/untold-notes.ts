import type { Draft } from "@berth/agent";
import { noteTold, type Sandbox, untoldProcesses } from "@berth/sandbox";

const MAX_NAMED = 10;
const MAX_LENGTH = 160;

const ENDED =
  "[The sandbox was closed and opened again since your last command. Processes that were running have ended: ";

/** Beginnings of notes that stay on the disk until the log has them: this one, and `restore-shell.sh`'s. */
const KEPT_NOTES = [ENDED, "[This is a new shell. ", "[The shell began anew: "];

/** Returns a note for the model about processes that ended with earlier sandboxes; empty for none. */
export async function endedProcessesNote(sandbox: Pick<Sandbox, "run">): Promise<string[]> {
  const ended = await untoldProcesses(sandbox).catch(() => []);
  if (ended.length === 0) return [];
  const named = ended.slice(0, MAX_NAMED).map((line) => `\`${line.slice(0, MAX_LENGTH)}\``);
  const more = ended.length > MAX_NAMED ? ", and more" : "";
  return [`${ENDED}${named.join(", ")}${more}.]`];
}

/**
 * Removes the notes from the disk when these results, which are in the log, contain them. If a runner dies
 * before the append, the next one has the notes; if it dies after the append, they are shown twice.
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
