import type { EventOf } from "@berth/sdk";

type FollowEvent = EventOf<
  "session.follow_started" | "session.follow_handed_over" | "session.follow_stopped"
>;

/** Returns one line about a session that follows its pull request. */
export function followLine(event: FollowEvent): string {
  if (event.type === "session.follow_started")
    return `follows pull request #${event.pull_request.number} · ${event.pull_request.url}`;
  if (event.type === "session.follow_stopped")
    return `no longer follows ${event.pull_request === null ? "its pull request" : `pull request #${event.pull_request.number}`}: ${event.reason.message}`;
  const { failed_checks: failed, comments, conflict, left_out: left, attempt, max_attempts: most } = event;
  const parts = [
    ...(failed.length > 0 ? [`failed: ${failed.join(", ")}`] : []),
    ...(comments.length > 0 ? [`from ${[...new Set(comments.map(({ author }) => author))].join(", ")}`] : []),
    ...(conflict ? ["conflicts"] : []),
    ...(left.length > 0 ? [`left out: ${[...new Set(left.map(({ author }) => author))].join(", ")}`] : []),
  ];
  return `pull request #${event.pull_request.number}, ${attempt} of ${most}: ${parts.join(" · ")}`;
}
