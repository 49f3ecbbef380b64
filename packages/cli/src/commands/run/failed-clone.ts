import type { Session, StreamFrame } from "@berth/sdk";

/**
 * Yields the frames of a turn. Calls `onFailure` with the reason of the first failed clone of a repository,
 * if that arrives before the turn has ended. A clone that is being retried has not failed.
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

/** Returns whether a resource is a repository. */
export function isRepository({ type }: Session["resources"][number]): boolean {
  return type === "hosted_repository" || type === "git_repository";
}

function failureOf(frame: StreamFrame, repositories: ReadonlySet<string>): string | null {
  if (frame.type !== "session.error") return null;
  const { resource_id, retry_status, message } = frame.error;
  const isFailed = resource_id !== undefined && repositories.has(resource_id);
  return isFailed && retry_status.type !== "retrying" ? message : null;
}
