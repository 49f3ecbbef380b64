import type { Session, StreamFrame } from "@berth/sdk";

/** Milliseconds that clones may go on after the turn has ended. */
const patience = 300_000;

/**
 * The frames of the first turn. A turn that the agent ended while repositories were still being cloned goes on until each
 * is there or has failed; `giveUp` is called where that is not told in time, and has to end the frames.
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
        timer ??= setTimeout(giveUp, patience);
      }
      if (ended && pending.size === 0) return;
    }
  } finally {
    clearTimeout(timer);
  }
}

function isRepository({ type }: Session["resources"][number]): boolean {
  return type === "hosted_repository" || type === "git_repository";
}

/** The resource that is there, or will not be, from this frame on. */
function settledBy(frame: StreamFrame): string | undefined {
  if (frame.type === "session.resource_ready") return frame.resource_id;
  if (frame.type !== "session.error" || frame.error.retry_status.type === "retrying") return undefined;
  return frame.error.resource_id;
}
