import type { Session, StreamFrame } from "@berth/sdk";

/**
 * Passes on the frames of a turn, and calls `onFailure` with the first reason for which a repository could not be cloned, if that is
 * told before the turn has ended. A clone that is tried again has not failed.
 */
export async function* noticeFailedClone<Frame extends StreamFrame>(
  frames: AsyncIterable<Frame>,
  resources: Session["resources"],
  onFailure: (reason: string) => void,
): AsyncGenerator<Frame, void> {
  const repositories = new Set(resources.filter(isRepository).map(({ id }) => id));
  let isOver = false;
  for await (const frame of frames) {
    yield frame;
    const reason: string | null = isOver ? null : failureOf(frame, repositories);
    if (reason !== null) onFailure(reason);
    isOver ||= reason !== null || frame.type === "session.status_idle";
  }
}

export function isRepository({ type }: Session["resources"][number]): boolean {
  return type === "hosted_repository" || type === "git_repository";
}

function failureOf(frame: StreamFrame, repositories: ReadonlySet<string>): string | null {
  if (frame.type !== "session.error") return null;
  const { resource_id, retry_status, message } = frame.error;
  const isFailed = resource_id !== undefined && repositories.has(resource_id);
  return isFailed && retry_status.type !== "retrying" ? message : null;
}
