import { type InputEvent, uuidOrNil } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { type ApiError, errors } from "@berth/store/errors";
import { type AnnouncedCall, announcedCalls, awaitedCalls } from "@berth/store/session-log";

/** A confirmation or a result in a request, which replies to a call of the agent. */
interface Reply {
  index: number;
  param: string;
  /** Uuid of the call. */
  uuid: string;
  kind: "confirmation" | "result";
}

/**
 * Rejects replies to something that is not a call of the session, replies of the wrong kind, and second
 * replies to a call in one request. The statement that appends the events checks whether each call is still
 * awaited.
 *
 * @throws errors.invalid; errors.callNotAwaited for a reply after an interrupt, which ends all awaited calls.
 */
export async function checkReplies(
  db: Queryable,
  sessionUuid: string,
  inputs: readonly InputEvent[],
): Promise<void> {
  const replies = repliesIn(inputs);
  if (replies.length === 0) return;
  const calls = await announcedCalls(
    db,
    sessionUuid,
    replies.map(({ uuid }) => uuid),
  );
  for (const [at, reply] of replies.entries()) {
    const fault = faultOf(reply, calls.get(reply.uuid));
    if (fault !== null) throw errors.invalid(`Field '${reply.param}' ${fault}`, reply.param);
    if (replies.findIndex(({ uuid }) => uuid === reply.uuid) < at)
      throw errors.invalid(
        `Field '${reply.param}' is the id of a call that another event replies to.`,
        reply.param,
      );
  }
  const interrupt = inputs.findIndex(({ type }) => type === "user.interrupt");
  const late = replies.find(({ index }) => interrupt !== -1 && index > interrupt);
  if (late !== undefined) throw errors.callNotAwaited(late.param);
}

/** Returns the error for events of which one replies to a call that is not awaited. */
export async function notAwaited(
  db: Queryable,
  sessionUuid: string,
  inputs: readonly InputEvent[],
): Promise<ApiError> {
  const awaited = await awaitedCalls(db, sessionUuid);
  const late = repliesIn(inputs).find(({ uuid }) => !awaited.includes(uuid));
  return errors.callNotAwaited(late?.param);
}

function repliesIn(inputs: readonly InputEvent[]): Reply[] {
  return inputs.flatMap((input, index) => {
    if (input.type === "user.tool_confirmation")
      return replyTo(index, "tool_use_id", input.tool_use_id, "confirmation");
    if (input.type === "user.custom_tool_result")
      return replyTo(index, "custom_tool_use_id", input.custom_tool_use_id, "result");
    return [];
  });
}

function replyTo(index: number, field: string, id: string, kind: Reply["kind"]): Reply[] {
  return [{ index, param: `events[${index}].${field}`, uuid: uuidOrNil("event", id), kind }];
}

function faultOf({ kind }: Reply, call: AnnouncedCall | undefined): string | null {
  if (call === undefined) return "is not the id of a call of this session.";
  const custom = call.type === "agent.custom_tool_use";
  if (kind === "result") return custom ? null : "must be the id of an 'agent.custom_tool_use'.";
  if (custom) return "is the id of a call that takes a 'user.custom_tool_result'.";
  return call.permission === "ask" ? null : "is the id of a call that does not need confirmation.";
}
