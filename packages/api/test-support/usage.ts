import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

/** A row of `session_usage`. Ids are uuids. */
export interface SeededUsage {
  session_id?: string;
  day: string;
  /** Default: null, so that `day` is the session's first. */
  previous_day?: string;
  organization_id: string;
  owner_id: string | null;
  agent_id?: string;
  environment_id?: string;
  model?: string;
  turns?: number;
  active_ms?: number;
  input_tokens?: number;
}

/** Stores a session's usage on a day. */
export async function seedUsage(db: Queryable, used: SeededUsage): Promise<void> {
  await db.query({
    text: `insert into session_usage (session_id, day, previous_day, organization_id, owner_id, agent_id, environment_id, model, turns, active_ms,
        input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, 0)`,
    values: [
      ...[
        used.session_id ?? newUuid(),
        used.day,
        used.previous_day ?? null,
        used.organization_id,
        used.owner_id,
      ],
      ...[used.agent_id ?? newUuid(), used.environment_id ?? newUuid(), used.model ?? "rehearsal/steps"],
      ...[used.turns ?? 1, used.active_ms ?? 1_000, used.input_tokens ?? 1],
    ],
  });
}
