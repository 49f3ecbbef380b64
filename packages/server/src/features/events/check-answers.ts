import { type InputEvent, uuidOrNil } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { ApiError } from "../../http/api-error.ts";
import { errors } from "../../http/errors.ts";

/** An answer among the events of a request. */
interface Answer {
  index: number;
  param: string;
  uuid: string;
  kind: "confirmation" | "result";
}

/**
 * Refuses answers to what is no call of the session, or not one that such an answer fits, and a second answer to a call in
 * one request. Whether each call still waits is decided where the events are appended.
 *
 * @throws errors.invalid; errors.callAnswered for an answer behind an interrupt, which ends all calls that wait.
 */
export async function checkAnswers(
  db: Queryable,
  sessionId: string,
  inputs: readonly InputEvent[],
): Promise<void> {
  const answers = answersAmong(inputs);
  if (answers.length === 0) return;
  const calls = await announcedCalls(db, sessionId, answers);
  for (const [place, answer] of answers.entries()) {
    const fault = callFault(answer, calls.get(answer.uuid));
    if (fault !== null) throw errors.invalid(`Field '${answer.param}' ${fault}`, answer.param);
    if (answers.findIndex(({ uuid }) => uuid === answer.uuid) < place)
      throw errors.invalid(`Field '${answer.param}' names a call that is answered twice.`, answer.param);
  }
  const interrupt = inputs.findIndex(({ type }) => type === "user.interrupt");
  const late = answers.find(({ index }) => interrupt !== -1 && index > interrupt);
  if (late !== undefined) throw errors.callAnswered(late.param);
}

/** The refusal of events of which one answers a call that does not wait. */
export async function callAnswered(
  db: Queryable,
  sessionId: string,
  inputs: readonly InputEvent[],
): Promise<ApiError> {
  const { rows } = await db.query<{ awaited_calls: string[] }>({
    name: "awaited_calls",
    text: "select awaited_calls from sessions where id = $1",
    values: [sessionId],
  });
  const late = answersAmong(inputs).find(({ uuid }) => !rows[0]?.awaited_calls.includes(uuid));
  return errors.callAnswered(late?.param);
}

function answersAmong(inputs: readonly InputEvent[]): Answer[] {
  return inputs.flatMap((input, index) => {
    if (input.type === "user.tool_confirmation")
      return answerTo(index, "tool_use_id", input.tool_use_id, "confirmation");
    if (input.type === "user.custom_tool_result")
      return answerTo(index, "custom_tool_use_id", input.custom_tool_use_id, "result");
    return [];
  });
}

function answerTo(index: number, field: string, id: string, kind: Answer["kind"]): Answer[] {
  const param = `events[${index}].${field}`;
  return [{ index, param, uuid: uuidOrNil("event", id), kind }];
}

type Call = { id: string; type: string; permission: string | null };

async function announcedCalls(
  db: Queryable,
  sessionId: string,
  answers: readonly Answer[],
): Promise<ReadonlyMap<string, Call>> {
  const { rows } = await db.query<Call>({
    name: "announced_calls",
    text: `
      select id, type, body::json ->> 'evaluated_permission' as permission from events
      where session_id = $1 and id = any($2::uuid[])
        and type in ('agent.tool_use', 'agent.mcp_tool_use', 'agent.custom_tool_use')`,
    values: [sessionId, answers.map(({ uuid }) => uuid).filter((uuid) => uuid !== "")],
  });
  return new Map(rows.map((call) => [call.id, call]));
}

function callFault({ kind }: Answer, call: Call | undefined): string | null {
  if (call === undefined) return "names no call of this session.";
  const custom = call.type === "agent.custom_tool_use";
  if (kind === "result") return custom ? null : "must be the id of an 'agent.custom_tool_use'.";
  if (custom) return "names a call that takes a 'user.custom_tool_result'.";
  return call.permission === "ask" ? null : "names a call that needs no confirmation.";
}
