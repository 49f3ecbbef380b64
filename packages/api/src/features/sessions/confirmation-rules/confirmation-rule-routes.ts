import {
  type ConfirmationRule,
  confirmationRuleRoutes,
  formatId,
  parseId,
  trimCommand,
  uuidTimestamp,
} from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { SessionHub } from "@berth/store/notify";
import {
  addConfirmationRule,
  type ConfirmationRuleRow,
  listConfirmationRules,
  removeConfirmationRule,
} from "@berth/store/session-log";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount } from "../../../http/mount.ts";
import { listPage } from "../../../request/page.ts";
import { creatorOf } from "../events/created-by.ts";
import { checkNotEnded, requireSession, requireSessionForUpdate } from "../state/session-state-store.ts";

/** Mounts the routes for the rules by which calls of a session run without a confirmation. */
export function mountConfirmationRules(app: HttpApp, hub: Pick<SessionHub, "publish">): void {
  mount(app, confirmationRuleRoutes.create, async ({ principal, db, afterCommit }, { params, body }) => {
    const { session_id: sessionId } = params;
    const { tool_name, mcp_server_name: server, command_prefix: prefix } = body;
    const scope = {
      tool_name,
      mcp_server_name: server ?? null,
      command_prefix: prefix == null ? null : trimCommand(prefix),
    };
    const rule = await db.transaction(async (tx) => {
      const session = await requireSessionForUpdate(tx, principal, sessionId);
      checkNotEnded(session, sessionId);
      return await addConfirmationRule(tx, session.id, scope, undefined, await creatorOf(tx, principal));
    });
    if (rule === null) throw errors.tooManyConfirmationRules(sessionId);
    afterCommit(() => hub.publish(rule.session_id));
    return shown(rule);
  });
  mount(app, confirmationRuleRoutes.list, async (request, input) => {
    const session = await requireSession(request.db.read, request.principal, input.params.session_id);
    return await listPage(request, input, "confirmation_rule", shown, (range) =>
      listConfirmationRules(request.db.read, session.id, range),
    );
  });
  mount(app, confirmationRuleRoutes.delete, async ({ principal, db, afterCommit }, { params }) => {
    const { session_id: sessionId, rule_id: ruleId } = params;
    const uuid = parseId("confirmation_rule", ruleId);
    const session = await db.transaction(async (tx) => {
      const session = await requireSessionForUpdate(tx, principal, sessionId);
      checkNotEnded(session, sessionId);
      const creator = await creatorOf(tx, principal);
      const isRemoved = uuid !== null && (await removeConfirmationRule(tx, session.id, uuid, creator));
      if (!isRemoved) throw errors.notFound("confirmation rule", ruleId);
      return session;
    });
    afterCommit(() => hub.publish(session.id));
    return { id: ruleId, type: "confirmation_rule_deleted" as const };
  });
}

function shown({ id, session_id, ...rule }: ConfirmationRuleRow): ConfirmationRule {
  return {
    id: formatId("confirmation_rule", id),
    type: "confirmation_rule",
    session_id: formatId("session", session_id),
    tool_name: rule.tool_name,
    mcp_server_name: rule.mcp_server_name,
    command_prefix: rule.command_prefix,
    created_by: rule.created_by,
    created_at: uuidTimestamp(id),
  };
}
