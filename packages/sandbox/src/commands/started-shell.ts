import type { CommandPipes, OpenSlot } from "./pipes.ts";
import type { Supervisor } from "./supervisor.ts";

/** The parts of a sandbox that fresh shells need. */
export interface ShellDeps {
  supervisor: Supervisor;
  pipes: CommandPipes;
  /** Aborted when the sandbox is gone. */
  gone: AbortSignal;
}

/** A fresh shell with its pipes open, which has not read its text yet. */
export interface StartedShell extends Required<OpenSlot> {
  /** Pid in the sandbox; null when no process could be started, and then the pipes are closed. */
  pid: number | null;
}

/** Starts a fresh shell. Its pipes are closed when the sandbox is gone. */
export async function startShell({ supervisor, pipes, gone }: ShellDeps): Promise<StartedShell> {
  const slot = await pipes.take();
  const output = pipes.read(slot).on("error", () => {});
  const input = pipes.write(slot, "in").on("error", () => {});
  const close = () => [input, output].map((stream) => stream.destroy());
  if (gone.aborted) close();
  gone.addEventListener("abort", close, { once: true });
  output.once("close", () => gone.removeEventListener("abort", close));
  const pid = await supervisor.request("run", slot.name);
  if (pid === null) close();
  return { slot, output, input, pid };
}

/** Reports a shell that has ended to the supervisor, and makes its slot free. */
export async function finishShell(
  { supervisor, pipes }: ShellDeps,
  { slot, pid }: Pick<StartedShell, "slot" | "pid">,
): Promise<void> {
  if (pid !== null) await supervisor.request("finish", pid);
  pipes.release(slot);
}
