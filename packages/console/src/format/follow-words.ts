import type { EventOf } from "@berth/sdk";

type FollowEvent = EventOf<
  "session.follow_started" | "session.follow_handed_over" | "session.follow_stopped"
>;

/** Returns what an event says about a session that follows its pull request, as sentences. */
export function followWords(event: FollowEvent): string {
  const name =
    event.pull_request === null ? "its pull request" : `pull request #${event.pull_request.number}`;
  if (event.type === "session.follow_started") return `The session follows ${name}.`;
  if (event.type === "session.follow_stopped")
    return `The session no longer follows ${name}. ${event.reason.message}`;
  const { failed_checks: failed, comments, conflict, left_out: left, attempt, max_attempts: most } = event;
  const names = (people: typeof comments) => [...new Set(people.map(({ author }) => author))].join(", ");
  return [
    `Message ${attempt} of ${most} about ${name}.`,
    ...(failed.length > 0 ? [`Failed: ${failed.join(", ")}.`] : []),
    ...(comments.length > 0 ? [`From ${names(comments)}.`] : []),
    ...(conflict ? ["It has conflicts."] : []),
    ...(left.length > 0 ? [`Left out, since they may not write to the repository: ${names(left)}.`] : []),
  ].join(" ");
}
