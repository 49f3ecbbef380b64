import { formatId, type NewEvent, newUuid, type SessionAgent } from "@berth/contract";
import {
  type AppliedRule,
  authorizeCall,
  type CallDecision,
  type TurnTools,
} from "../calls/authorize-call.ts";
import { applyRules } from "../calls/confirmation-rules.ts";
import type { DecidedCall } from "../calls/run-calls.ts";
import { callKind, type ToolUseEvent } from "../history/call-events.ts";
import type { Draft, Memo } from "../history/log-entry.ts";
import type { AssistantBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { storableObject, storableText } from "../prompts/text.ts";
import { requestEnd } from "./request-events.ts";
import type { ResponsePreview } from "./response-preview.ts";
import type { FinishedResponse } from "./send-request.ts";

type Call = Extract<AssistantBlock, { type: "tool_call" }>;

/**
 * Creates the events of a complete response, for one append: its blocks in order, then the end of the
 * request. Only the text of a truncated or refused response is kept: its last call may be incomplete, and
 * thinking must be followed by what it led to. After a truncated response the model gets a note.
 *
 * @param rules the session's confirmation rules.
 */
export function responseDrafts(
  start: string,
  response: FinishedResponse,
  agent: SessionAgent,
  tools: TurnTools,
  preview: Pick<ResponsePreview, "idOf">,
  rules: readonly AppliedRule[] = [],
): { drafts: Draft[]; calls: DecidedCall[] } {
  const calls: DecidedCall[] = [];
  const drafts = response.blocks.flatMap((received) => {
    const [block] = keptBlock(received, response.reason);
    if (block === undefined) return [];
    if (block.type !== "tool_call") return [textDraft(block, preview.idOf(received))];
    const decision = applyRules(authorizeCall(block, agent, tools), rules);
    const { event, memo } = toolUseEvent(block, decision);
    const id = formatId("event", newUuid());
    calls.push({ eventId: id, kind: callKind(event), decision });
    const opaque = block.opaque === undefined ? {} : { opaque: block.opaque };
    return [{ id, event, memo: { call_id: block.id, ...memo, ...opaque } }];
  });
  const end = requestEnd(start, response.usage);
  if (response.reason === "max_tokens") end.memo = { text: notes.TRUNCATED_RESPONSE };
  return { drafts: [...drafts, end], calls };
}

/** Returns whether a call of the response waits for a confirmation unless a rule allows it. */
export function asksFor(response: FinishedResponse, agent: SessionAgent, tools: TurnTools): boolean {
  return response.blocks.some(
    (block) => block.type === "tool_call" && authorizeCall(block, agent, tools).permission === "ask",
  );
}

/** Returns the block, or nothing if it is dropped: providers reject blank texts in a later request. */
function keptBlock(block: AssistantBlock, reason: FinishedResponse["reason"]): AssistantBlock[] {
  const complete = reason === "end_turn" || reason === "tool_calls";
  if (block.type !== "text") return complete ? [block] : [];
  if (block.text.trim() === "") return [];
  return [complete ? block : { type: "text", text: block.text }];
}

function textDraft(block: Exclude<AssistantBlock, Call>, eventId: string | undefined): Draft {
  const text = storableText(block.text);
  const id = eventId === undefined ? {} : { id: eventId };
  const opaque = block.opaque === undefined ? {} : { opaque: block.opaque };
  if (block.type === "thinking")
    return { ...id, event: { type: "agent.thinking" }, memo: { text, ...opaque } };
  return {
    ...id,
    event: { type: "agent.message", content: [{ type: "text", text }] },
    ...(block.opaque === undefined ? {} : { memo: opaque }),
  };
}

/**
 * Creates the event that announces a call. A denied call of a custom tool is announced as one of the
 * service's own, so that no client runs it.
 */
function toolUseEvent(
  call: { name: string; input: Record<string, unknown> },
  decision: CallDecision,
): { event: Extract<NewEvent, Pick<ToolUseEvent, "type">>; memo: Memo } {
  const name = storableText(call.name);
  const given = storableObject(call.input);
  const { clientInput = call.input } = "clientInput" in decision ? decision : {};
  const isGiven = clientInput === call.input;
  const input = isGiven ? given : storableObject(clientInput);
  const memo: Memo = isGiven ? {} : { tool_input: given };
  if (decision.permission === "client")
    return { event: { type: "agent.custom_tool_use", name, input }, memo };
  const evaluated_permission = decision.permission;
  const allowed = "rule" in decision && decision.rule !== undefined ? ruleOf(decision.rule) : {};
  const mcp = decision.tool?.mcp;
  if (mcp === undefined)
    return { event: { type: "agent.tool_use", name, input, evaluated_permission, ...allowed }, memo };
  const { server: mcp_server_name, name: ownName } = mcp;
  return {
    event: {
      type: "agent.mcp_tool_use",
      mcp_server_name,
      name: ownName,
      input,
      evaluated_permission,
      ...allowed,
    },
    memo: { tool_name: name },
  };
}

function ruleOf({ id, command_prefix, created_by }: AppliedRule) {
  return { confirmation_rule: { id, command_prefix, created_by } };
}
