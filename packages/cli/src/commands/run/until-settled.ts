import type { Session, StreamFrame } from "@berth/sdk";
import { isRepository } from "./failed-clone.ts";

/** Milliseconds that clones may take after the end of the turn. */
const CLONE_TIMEOUT_MS = 300_000;

/**
 * Yields the frames of the first turn. If the turn ends while repositories are still being cloned, continues
 * until each clone has succeeded or failed. If that takes too long, calls `giveUp`, which must end `frames`.
 */
export async function* untilSettled<Frame extends StreamFrame>(
  frames: AsyncIterable<Frame>,
  resources: Session["resources"],
  giveUp: () => void,
): AsyncGenerator<Frame, void> {
  const pending = new Set(resources.filter(isRepository).map(({ id }) => id));
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const frame of frames) {
      yield frame;
      const settled = settledBy(frame);
      if (settled !== undefined) pending.delete(settled);
      if (frame.type === "session.status_idle") {
        if (frame.stop_reason.type !== "end_turn") return;
        ended = true;
        timer ??= setTimeout(giveUp, CLONE_TIMEOUT_MS);
      }
      if (ended && pending.size === 0) return;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the id of the resource that this frame reports as ready or failed. */
function settledBy(frame: StreamFrame): string | undefined {
  if (frame.type === "session.resource_ready") return frame.resource_id;
  if (frame.type !== "session.error" || frame.error.retry_status.type === "retrying") return undefined;
  return frame.error.resource_id;
}
