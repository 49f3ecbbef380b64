import { CALL_REPLY_TYPES } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";

/** The kinds of inputs that wait to be processed. */
export interface WaitingInputs {
  /** Whether confirmations or results of calls wait, which a run processes at once. */
  replies: boolean;
  /**
   * Whether the last turn ended because calls await a client's reply. No message is processed before the
   * replies.
   */
  requiresAction: boolean;
  /** Whether messages for the next model request wait. */
  messages: boolean;
  interrupts: boolean;
  /** Whether messages wait that were sent before a waiting interrupt. */
  interruptedMessages: boolean;
  /** Whether a budget stopped the last turn, which messages then do not continue; and whether it is to continue. */
  budget: "stopped" | "resumed" | null;
}

/** Returns which inputs of a session wait. */
export async function waitingInputs(db: Queryable, sessionId: string): Promise<WaitingInputs> {
  const { rows } = await db.query<{ waiting: WaitingInputs }>({
    name: "waiting_inputs",
    text: `select ${WAITING_AS_JSON} as waiting`,
    values: [sessionId],
  });
  return rows[0]?.waiting ?? NOTHING_WAITING;
}

const REPLIES = CALL_REPLY_TYPES.map((type) => `'${type}'`).join(", ");

/** SQL expression for the `WaitingInputs` of session $1, as JSON. */
export const WAITING_AS_JSON = `(
    with waiting as (
      select seq, type = 'user.interrupt' as interrupt, type in (${REPLIES}) as reply from events
      where session_id = $1 and processed_at is null and type <> 'system.message'
    )
    select json_build_object(
      'replies', exists (select from waiting where reply),
      'requiresAction', coalesce((
        select body::json #>> '{stop_reason,type}' = 'requires_action' from events
        where session_id = $1 and type = 'session.status_idle' order by seq desc limit 1
      ), false),
      'messages', exists (select from waiting where not interrupt and not reply),
      'interrupts', exists (select from waiting where interrupt),
      'interruptedMessages', exists (
        select from waiting
        where not interrupt and seq < (select max(seq) from waiting where interrupt)
      ),
      'budget', (
        select case budget_stop when 'resumed' then 'resumed' else 'stopped' end from sessions
        where id = $1 and budget_stop is not null
      )
    )
  )`;

const NOTHING_WAITING: WaitingInputs = {
  replies: false,
  requiresAction: false,
  messages: false,
  interrupts: false,
  interruptedMessages: false,
  budget: null,
};

/** Returns whether the inputs start a turn of a session that is not running. */
export function startsTurn(waiting: WaitingInputs): boolean {
  const { replies, messages, interrupts, requiresAction, budget } = waiting;
  return replies || interrupts || budget === "resumed" || (messages && !requiresAction && budget === null);
}
