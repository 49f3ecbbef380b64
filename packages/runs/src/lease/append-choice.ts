import type { Draft } from "@berth/agent";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Choices } from "../choices/choices.ts";
import { append, appendStatement, type RunAppend } from "./append-events.ts";

/**
 * Appends as `appendByRun` does, and stores the session's choices, or those that change, in the same statement.
 * So the log has the choices that hold.
 */
export async function appendChoice(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
  choices: Partial<Choices>,
): Promise<RunAppend> {
  return await append(db, "append_choice", STATEMENT, lease, drafts, [JSON.stringify(choices)]);
}

const STATEMENT = appendStatement(", choices = coalesce(choices, '{}') || $14::jsonb");
