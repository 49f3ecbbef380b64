import {
  type ConfirmationRule,
  type Creator,
  formatId,
  MAX_CONFIRMATION_RULES,
  newUuid,
} from "@berth/contract";
import { type KeysetRange, selectKeyset } from "../db/keyset.ts";
import type { Queryable } from "../db/statement.ts";
import { appendEvent } from "./input-store.ts";

/** The calls that a rule allows. */
export type RuleScope = Pick<ConfirmationRule, "tool_name" | "mcp_server_name" | "command_prefix">;

/** A row of `confirmation_rules`; `id` is a uuid. */
export interface ConfirmationRuleRow extends RuleScope {
  id: string;
  session_id: string;
  created_by: Creator;
}

const COLUMNS = "id, session_id, tool_name, mcp_server_name, command_prefix, created_by";

/** Returns the rules of a session, oldest first. */
export async function confirmationRules(db: Queryable, sessionId: string): Promise<ConfirmationRuleRow[]> {
  const { rows } = await db.query<ConfirmationRuleRow>({
    name: "confirmation_rules",
    text: `select ${COLUMNS} from confirmation_rules where session_id = $1 order by id`,
    values: [sessionId],
  });
  return rows;
}

/** Returns a page of the rules of a session. */
export async function listConfirmationRules(
  db: Queryable,
  sessionId: string,
  range: KeysetRange,
): Promise<ConfirmationRuleRow[]> {
  const listing = { table: "confirmation_rules", columns: COLUMNS };
  const scope = [{ column: "session_id", value: sessionId }];
  return await selectKeyset<ConfirmationRuleRow>(db, range, listing, scope);
}

/**
 * Adds a rule to a session whose row the caller has locked, and appends the event. Does nothing if the session
 * has the rule. Returns the rule; null, having added nothing, when the session has as many as it may have.
 *
 * @param toolUseId id of the call whose confirmation adds the rule; undefined for none.
 */
export async function addConfirmationRule(
  tx: Queryable,
  sessionId: string,
  { tool_name, mcp_server_name, command_prefix }: RuleScope,
  toolUseId: string | undefined,
  created_by: Creator,
): Promise<ConfirmationRuleRow | null> {
  const scope = { tool_name, mcp_server_name, command_prefix };
  const rules = await confirmationRules(tx, sessionId);
  const known = rules.find((rule) => isSame(rule, scope));
  if (known !== undefined) return known;
  if (rules.length >= MAX_CONFIRMATION_RULES) return null;
  const id = newUuid();
  await tx.query({
    name: "insert_confirmation_rule",
    text: `insert into confirmation_rules (${COLUMNS}) values ($1, $2, $3, $4, $5, $6)`,
    values: [id, sessionId, tool_name, mcp_server_name, command_prefix, JSON.stringify(created_by)],
  });
  await appendEvent(tx, sessionId, {
    type: "session.confirmation_rule_added",
    confirmation_rule_id: formatId("confirmation_rule", id),
    ...scope,
    ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
    created_by,
  });
  return { id, session_id: sessionId, ...scope, created_by };
}

/**
 * Removes a rule of a session whose row the caller has locked, and appends the event. Returns false when the
 * session has no such rule.
 */
export async function removeConfirmationRule(
  tx: Queryable,
  sessionId: string,
  id: string,
  created_by: Creator,
): Promise<boolean> {
  const { rows } = await tx.query<RuleScope>({
    name: "delete_confirmation_rule",
    text: `delete from confirmation_rules where session_id = $1 and id = $2
      returning tool_name, mcp_server_name, command_prefix`,
    values: [sessionId, id],
  });
  const [scope] = rows;
  if (scope === undefined) return false;
  await appendEvent(tx, sessionId, {
    type: "session.confirmation_rule_removed",
    confirmation_rule_id: formatId("confirmation_rule", id),
    ...scope,
    created_by,
  });
  return true;
}

function isSame(one: RuleScope, other: RuleScope): boolean {
  return (
    one.tool_name === other.tool_name &&
    one.mcp_server_name === other.mcp_server_name &&
    one.command_prefix === other.command_prefix
  );
}
