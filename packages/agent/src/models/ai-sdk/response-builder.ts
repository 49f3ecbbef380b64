import type { AssistantBlock, FinishReason, ModelPart, Opaque } from "../model.ts";
import { callInput } from "./call-input.ts";
import type { StreamPart } from "./types.ts";

/** A block while it streams. `input` is set only when the call is complete. */
interface PartialBlock {
  type: "text" | "thinking" | "tool_call";
  id: string;
  name: string;
  text: string;
  input: string | null;
  opaque: Opaque | undefined;
}

type VisiblePart = Extract<ModelPart, { type: "text_delta" | "thinking_started" }>;

/** Builds blocks from stream parts, in the order in which they began. Unknown kinds are ignored. */
export class ResponseBuilder {
  readonly #partials: PartialBlock[] = [];
  readonly #open = new Map<string, PartialBlock>();

  /** Adds a part. Returns what may be shown before the response is complete, or null. */
  add(part: StreamPart): VisiblePart | null {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part.type === "text-start" ? "text" : "thinking", part.id, "").opaque = opaqueOf(part);
        return null;
      case "tool-input-start":
        if (part.providerExecuted !== true) this.#begin("tool_call", part.id, part.toolName);
        return null;
      case "text-delta":
        this.#append("text", part);
        return part.delta === ""
          ? null
          : { type: "text_delta", text: part.delta, blockIndex: this.#blockIndexOf("text", part.id) };
      case "reasoning-delta": {
        const first = (this.#find("thinking", part.id)?.text ?? "") === "";
        this.#append("thinking", part);
        if (!first || part.delta === "") return null;
        return { type: "thinking_started", blockIndex: this.#blockIndexOf("thinking", part.id) };
      }
      case "text-end":
        this.#append("text", { ...part, delta: "" });
        return null;
      case "reasoning-end":
        this.#append("thinking", { ...part, delta: "" });
        return null;
      case "tool-call": {
        if (part.providerExecuted === true) return null;
        const partial =
          this.#find("tool_call", part.toolCallId) ?? this.#begin("tool_call", part.toolCallId, "");
        partial.name = part.toolName;
        partial.input = part.input;
        partial.opaque = merged(partial.opaque, opaqueOf(part));
        return null;
      }
      default:
        return null;
    }
  }

  hasToolCalls(): boolean {
    return this.#partials.some(({ input }) => input !== null);
  }

  /**
   * Returns the blocks that may be sent back to the provider. Calls of a truncated or refused response are
   * dropped, since the last may be incomplete. Thinking at the end is dropped, since it must be followed by
   * another block.
   */
  blocks(reason: FinishReason): { block: AssistantBlock; blockIndex: number }[] {
    const blocks = this.#partials.flatMap((partial, blockIndex) =>
      finished(partial, reason).map((block) => ({ block, blockIndex })),
    );
    const last = blocks.findLastIndex(({ block }) => block.type !== "thinking");
    return blocks.slice(0, last + 1);
  }

  #blockIndexOf(type: PartialBlock["type"], id: string): number {
    const partial = this.#find(type, id);
    return partial === undefined ? -1 : this.#partials.indexOf(partial);
  }

  #begin(type: PartialBlock["type"], id: string, name: string): PartialBlock {
    const partial: PartialBlock = { type, id, name, text: "", input: null, opaque: undefined };
    this.#partials.push(partial);
    this.#open.set(`${type} ${id}`, partial);
    return partial;
  }

  #find(type: PartialBlock["type"], id: string): PartialBlock | undefined {
    return this.#open.get(`${type} ${id}`);
  }

  #append(type: "text" | "thinking", part: { id: string; delta: string; providerMetadata?: Opaque }): void {
    const partial = this.#find(type, part.id) ?? this.#begin(type, part.id, "");
    partial.text += part.delta;
    partial.opaque = merged(partial.opaque, opaqueOf(part));
  }
}

/** Returns the block, or nothing if it is empty: no provider accepts blank texts in a later request. */
function finished(partial: PartialBlock, reason: FinishReason): AssistantBlock[] {
  const opaque = partial.opaque === undefined ? {} : { opaque: partial.opaque };
  if (partial.type === "text")
    return partial.text.trim() === "" ? [] : [{ type: "text", text: partial.text, ...opaque }];
  if (partial.type === "thinking") {
    const empty = partial.text === "" && partial.opaque === undefined;
    return empty ? [] : [{ type: "thinking", text: partial.text, ...opaque }];
  }
  if (partial.input === null || reason === "max_tokens" || reason === "refusal") return [];
  return [
    {
      type: "tool_call",
      id: partial.id,
      name: partial.name,
      ...callInput(partial.input),
      ...opaque,
    },
  ];
}

function opaqueOf(part: { providerMetadata?: Opaque | undefined }): Opaque | undefined {
  return part.providerMetadata;
}

/** Merges metadata, which comes in pieces by provider: an id at the start, a signature at the end. */
function merged(before: Opaque | undefined, after: Opaque | undefined): Opaque | undefined {
  if (before === undefined || after === undefined) return after ?? before;
  const entries = Object.entries(after).map(([provider, value]) => {
    const known = before[provider];
    return [provider, isObject(known) && isObject(value) ? { ...known, ...value } : value] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
