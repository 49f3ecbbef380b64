import { type InputEvent, type SentEvent, trimCommand, uuidOrNil } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { type ApiError, errors } from "@berth/store/errors";
import {
  type AnnouncedCall,
  addConfirmationRule,
  announcedCalls,
  awaitedCalls,
  type FirstReply,
  firstReply,
} from "@berth/store/session-log";

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
 * @throws errors.invalid; errors.callNotAwaited for a call that a rule allowed, and for a reply after an
 * interrupt, which ends all awaited calls.
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
    const call = calls.get(reply.uuid);
    const fault = faultOf(reply, call);
    if (fault !== null) throw errors.invalid(`Field '${reply.param}' ${fault}`, reply.param);
    if (call?.rule) throw errors.callNotAwaited(reply.param, ruleWords(call.rule, call.at));
    checkRule(inputs[reply.index], reply.index, call);
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
  const first = late === undefined ? null : await firstReply(db, sessionUuid, late.uuid);
  return errors.callNotAwaited(late?.param, first === null ? undefined : replyWords(first));
}

/** Returns `was allowed by ada@example.com at 2026-11-30T17:00:00.000Z`. */
function replyWords({ type, result, by, at }: FirstReply): string {
  const verbs = { allow: "was allowed", deny: "was denied" };
  const other = type === "user.interrupt" ? "was interrupted" : "got its result";
  const who =
    by === null ? "" : ` ${result === null && other === "got its result" ? "from" : "by"} ${nameOf(by)}`;
  return `${result === null ? other : verbs[result]}${who} at ${at.toISOString()}`;
}

function ruleWords({ id, created_by }: NonNullable<AnnouncedCall["rule"]>, at: Date): string {
  return `was allowed by the confirmation rule '${id}' of ${nameOf(created_by)} at ${at.toISOString()}`;
}

/** Returns the name; the id if the sender was erased, or the event is older than names. */
function nameOf({ id, name }: NonNullable<FirstReply["by"]>): string {
  return name ?? id;
}

/** Rejects a command prefix for a call that runs no command. */
function checkRule(input: InputEvent | undefined, index: number, call: AnnouncedCall | undefined): void {
  if (input?.type !== "user.tool_confirmation" || input.always?.command_prefix == null) return;
  if (call?.server === null && call.name === "Bash") return;
  const param = `events[${index}].always.command_prefix`;
  throw errors.invalid(`Field '${param}' is only allowed for calls of Bash.`, param);
}

/** Returns whether events add rules to the session. */
export function addsRules(inputs: readonly InputEvent[]): boolean {
  return inputs.some((input) => input.type === "user.tool_confirmation" && input.always !== undefined);
}

/**
 * Adds the rules of confirmations that were just appended, to a session whose row is locked.
 *
 * @throws errors.tooManyConfirmationRules
 */
export async function addRules(
  tx: Queryable,
  session: { id: string; uuid: string },
  events: readonly SentEvent[],
): Promise<void> {
  const confirmed = events.flatMap((event, index) =>
    event.type === "user.tool_confirmation" && event.always !== undefined ? [{ event, index }] : [],
  );
  const uuids = confirmed.map(({ event }) => uuidOrNil("event", event.tool_use_id));
  const calls = await announcedCalls(tx, session.uuid, uuids);
  for (const [at, { event, index }] of confirmed.entries()) {
    const call = calls.get(uuids[at] ?? "");
    const { always, tool_use_id, created_by } = event;
    if (call === undefined || created_by === undefined) continue;
    const prefix = always?.command_prefix ?? null;
    const scope = {
      tool_name: call.name,
      mcp_server_name: call.server,
      command_prefix: prefix === null ? null : trimCommand(prefix),
    };
    const rule = await addConfirmationRule(tx, session.uuid, scope, tool_use_id, created_by);
    if (rule === null) throw errors.tooManyConfirmationRules(session.id, `events[${index}].always`);
  }
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
  if (call.permission === "ask" || call.rule !== null) return null;
  return "is the id of a call that does not need confirmation.";
}
