import { type Sandbox, takeEndedProcesses } from "@berth/sandbox";

const MAX_NAMED = 10;
const MAX_LENGTH = 160;

/** What the model is told, once, of the processes that ended with the last sandbox on this disk; empty when there were none. */
export async function endedProcessesNote(sandbox: Pick<Sandbox, "run">): Promise<string[]> {
  const ended = await takeEndedProcesses(sandbox).catch(() => []);
  if (ended.length === 0) return [];
  const named = ended.slice(0, MAX_NAMED).map((line) => `\`${line.slice(0, MAX_LENGTH)}\``);
  const more = ended.length > MAX_NAMED ? ", and more" : "";
  return [
    `[The sandbox was closed and opened again since your last command. Processes that were running have ended: ${named.join(", ")}${more}.]`,
  ];
}
