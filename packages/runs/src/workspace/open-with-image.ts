import {
  DiskLimitError,
  ImageError,
  NoRoomError,
  type Sandbox,
  SandboxError,
  type SandboxSpec,
  WaitOverError,
} from "@berth/sandbox";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { withoutImage } from "../system/own-devcontainer.ts";
import { reportMissing } from "../system/report-missing.ts";
import type { OpenDeps, OpenTarget } from "./opening.ts";

/** Failures for which no image is to blame. */
const OTHERS = [DiskLimitError, NoRoomError, WaitOverError];

/**
 * Opens a sandbox. If it cannot be opened with the image of a repository's `devcontainer.json`, but with the
 * session's usual one, the session has that from then on, and its log says why.
 *
 * @throws what `SandboxEngine.open` does, and LeaseLost.
 */
export async function openWithImage(
  deps: Pick<OpenDeps, "engine" | "mask">,
  target: Pick<OpenTarget, "session" | "runLog" | "notes" | "signal">,
  session: Pick<RunSession, "image" | "devcontainer">,
  spec: SandboxSpec,
): Promise<Sandbox> {
  const { devcontainer } = session;
  try {
    return await deps.engine.open(spec);
  } catch (error) {
    if (session.image !== null || devcontainer === null || devcontainer.image === null) throw error;
    if (target.signal.aborted || !mayBeOfImage(error)) throw error;
    const sandbox = await deps.engine.open({ ...spec, image: null });
    const why = error instanceof ImageError ? clause(error.message) : "no sandbox starts with it";
    const shown = withoutImage(devcontainer.shown, why);
    try {
      await target.runLog.appendDevcontainer(shown);
      for (const one of [session, target.session]) one.devcontainer = { ...devcontainer, image: null, shown };
      await reportMissing(deps, target, `The session runs without the image of ${shown.file}: ${why}.`);
    } catch (fault) {
      await sandbox.close();
      throw fault;
    }
    return sandbox;
  }
}

function mayBeOfImage(error: unknown): boolean {
  return error instanceof SandboxError && !OTHERS.some((kind) => error instanceof kind);
}

/** Returns a sentence as a part of another. */
function clause(sentence: string): string {
  return sentence.replace(/^./, (first) => first.toLowerCase()).replace(/\.$/, "");
}
