import { isDeepStrictEqual } from "node:util";
import type { Draft, Memo } from "@berth/agent";
import type { NewEvent } from "@berth/contract";

export type Mask = (text: string) => string;

type Type = NewEvent["type"];
type Masked<T extends Type> = (event: Extract<NewEvent, { type: T }>, mask: Mask) => object;

/** For events whose text comes only from the service or a client. */
const nothing = () => ({});

/** Masks the fields of each event whose text may come from an agent, its sandbox or a server it chose. */
const MASKED: { readonly [T in Type]: Masked<T> } = {
  "agent.message": ({ content }, mask) => ({ content: maskedValue(content, mask) }),
  "agent.thinking": nothing,
  "agent.tool_use": ({ name, input }, mask) => ({ name: mask(name), input: maskedValue(input, mask) }),
  "agent.mcp_tool_use": ({ input }, mask) => ({ input: maskedValue(input, mask) }),
  "agent.custom_tool_use": ({ input }, mask) => ({ input: maskedValue(input, mask) }),
  "agent.tool_result": ({ content }, mask) => ({ content: content.map((block) => maskedBlock(block, mask)) }),
  "agent.mcp_tool_result": ({ content }, mask) => ({
    content: content.map((block) => maskedBlock(block, mask)),
  }),
  "agent.context_compacted": nothing,
  "agent.content_omitted": ({ reason }, mask) => ({ reason: mask(reason) }),
  "session.error": ({ error }, mask) => ({ error: { ...error, message: mask(error.message) } }),
  "session.egress_denied": ({ host }, mask) => ({ host: mask(host) }),
  "session.resource_ready": ({ commit }, mask) => (commit === undefined ? {} : { commit: mask(commit) }),
  "session.resource_progress": nothing,
  "session.environment_progress": nothing,
  "session.runtimes_chosen": ({ runtimes, missing, ignored }, mask) =>
    maskedValue({ runtimes, missing, ignored }, mask),
  "session.devcontainer_read": ({ type: _, resource_id: _id, ...read }, mask) => maskedValue(read, mask),
  "session.container_started": nothing,
  "session.container_reclaimed": nothing,
  "session.events_deleted": nothing,
  "session.status_running": nothing,
  "session.status_idle": nothing,
  "session.status_rescheduled": ({ reason }, mask) => (reason === undefined ? {} : { reason: mask(reason) }),
  "session.status_terminated": nothing,
  "session.updated": nothing,
  "session.usage": nothing,
  "session.confirmation_rule_added": nothing,
  "session.confirmation_rule_removed": nothing,
  "session.follow_started": nothing,
  "session.follow_handed_over": nothing,
  "session.follow_stopped": nothing,
  "session.deleted": nothing,
  "span.model_request_start": nothing,
  "span.model_request_end": nothing,
  "user.message": nothing,
  "user.interrupt": nothing,
  "user.tool_confirmation": nothing,
  "user.custom_tool_result": nothing,
  "system.message": nothing,
};

/**
 * Returns a draft without the session's secrets, event and memo, as it is stored, sent to followers and shown
 * to the model later. A call that starts at once gets the input that the model gave. A call that a client
 * must confirm gets the masked input that the client saw.
 */
export function maskedDraft(draft: Draft, mask: Mask): Draft {
  const { event, memo } = draft;
  const masked = MASKED[event.type] as Masked<Type>;
  return {
    ...draft,
    event: { ...event, ...masked(event, mask) } as NewEvent,
    ...(memo === undefined ? {} : { memo: maskedMemo(memo, mask) }),
  };
}

/**
 * Masks a memo. Providers sign their thinking and reject it when it was changed, so thinking that contains a
 * secret is left out. `kept` is a message of the user, and is not masked.
 */
function maskedMemo({ text, opaque, results, tool_input, ...rest }: Memo, mask: Mask): Memo {
  const masked = {
    ...(text === undefined ? {} : { text: mask(text) }),
    ...(results === undefined ? {} : { results: mask(results) }),
    ...(tool_input === undefined ? {} : { tool_input: maskedValue(tool_input, mask) }),
  };
  if (opaque === undefined) return { ...rest, ...masked };
  const isChanged = masked.text !== text || !isDeepStrictEqual(maskedValue(opaque, mask), opaque);
  if (!isChanged) return { ...rest, ...masked, opaque };
  return text === undefined ? rest : { ...rest, ...masked, text: "" };
}

/** Masks every string in a JSON value, names of fields included. */
export function maskedValue<T>(value: T, mask: Mask): T;
export function maskedValue(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [mask(key), maskedValue(one, mask)]));
}

/** Masks a text block. The data of an image is left as it is. */
function maskedBlock<B extends { type: string }>(block: B, mask: Mask): B {
  return block.type === "text" ? maskedValue(block, mask) : block;
}
