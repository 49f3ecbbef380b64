import type { NewEvent, SessionAgent } from "@berth/contract";
import { authorizeCall, type CallDecision, type Tools } from "../calls/authorize-call.ts";
import type { Draft, Memo } from "../history/log.ts";
import type { AssistantBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { storableObject, storableText } from "../prompts/text.ts";
import { requestEnd } from "./request-events.ts";
import type { ResponsePreview } from "./response-preview.ts";
import type { FinishedResponse } from "./send-request.ts";

type Call = Extract<AssistantBlock, { type: "tool_call" }>;

/**
 * A clean answer as one append: its blocks in their order, then the end of the request. Of an answer that was cut or
 * refused only the text counts, for its last call may be half a call and its thinking has nothing to belong to; after
 * a cut one the model is told so.
 * `decisions` belong to the drafts that announce calls, in their order.
 */
export function responseDrafts(
  start: string,
  answer: FinishedResponse,
  agent: SessionAgent,
  tools: Tools,
  announced: Pick<ResponsePreview, "idOf">,
): { drafts: Draft[]; decisions: CallDecision[] } {
  const decisions: CallDecision[] = [];
  const drafts = answer.blocks.flatMap((made) => {
    const [block] = countingBlock(made, answer.reason);
    if (block === undefined) return [];
    if (block.type !== "tool_call") return [textDraft(block, announced.idOf(made))];
    const decision = authorizeCall(block, agent, tools);
    decisions.push(decision);
    return [callDraft(block, decision)];
  });
  const end = requestEnd(start, answer.usage);
  if (answer.reason === "max_tokens") end.memo = { text: notes.TRUNCATED_RESPONSE };
  return { drafts: [...drafts, end], decisions };
}

/** Blank texts are left out: providers refuse them when they come back. */
function countingBlock(block: AssistantBlock, reason: FinishedResponse["reason"]): AssistantBlock[] {
  const whole = reason === "end_turn" || reason === "tool_calls";
  if (block.type !== "text") return whole ? [block] : [];
  if (block.text.trim() === "") return [];
  return [whole ? block : { type: "text", text: block.text }];
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

function callDraft(block: Call, decision: CallDecision): Draft {
  const { event, memo } = toolUseEvent(block, decision);
  const opaque = block.opaque === undefined ? {} : { opaque: block.opaque };
  return { event, memo: { call_id: block.id, ...memo, ...opaque } };
}

/** How a call is announced. A call of the client's tool that is refused is told as one of ours, so that no client takes it up. */
function toolUseEvent(
  call: { name: string; input: Record<string, unknown> },
  decision: CallDecision,
): { event: NewEvent; memo: Memo } {
  const name = storableText(call.name);
  const input = storableObject(call.input);
  if (decision.permission === "client")
    return { event: { type: "agent.custom_tool_use", name, input }, memo: {} };
  const evaluated_permission = decision.permission;
  const mcp = decision.tool?.mcp;
  if (mcp === undefined)
    return { event: { type: "agent.tool_use", name, input, evaluated_permission }, memo: {} };
  const { server: mcp_server_name, name: ownName } = mcp;
  return {
    event: { type: "agent.mcp_tool_use", mcp_server_name, name: ownName, input, evaluated_permission },
    memo: { tool_name: name },
  };
}
