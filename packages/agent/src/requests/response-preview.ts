import { formatId, newUuid } from "@berth/contract";
import type { AssistantBlock, ModelPart } from "../models/model.ts";
import { storableText } from "../prompts/text.ts";

/** A piece of an event that is not stored yet. It never is when its request ends with an error. */
export interface PreviewPiece {
  /** Id of the `span.model_request_start`. */
  requestId: string;
  /** The id that the event will have. */
  eventId: string;
  type: "agent.message" | "agent.thinking";
  /** Characters of the event's text before this piece. */
  offset: number;
  /** Empty for `agent.thinking`: only that it began is shown. */
  text: string;
}

export type OnPreview = (piece: PreviewPiece) => void;

interface ShownBlock {
  eventId: string;
  /** Text that has not been shown. */
  buffered: string;
  /** How many characters have been shown. */
  shown: number;
}

/**
 * Shows a response while it streams, and remembers the event ids of the pieces for the events that they become. Text is held
 * back while it is blank, since a blank text becomes no event.
 */
export class ResponsePreview {
  readonly #requestId: string;
  readonly #onPreview: OnPreview;
  readonly #blocks = new Map<number, ShownBlock>();
  readonly #ids = new Map<AssistantBlock, string>();

  constructor(requestId: string, onPreview: OnPreview) {
    this.#requestId = requestId;
    this.#onPreview = onPreview;
  }

  add(part: Exclude<ModelPart, { type: "finish" }>): void {
    const block = this.#blocks.get(part.blockIndex);
    if (part.type === "text_delta") this.#addText(block ?? this.#begin(part.blockIndex), part.text);
    else if (part.type === "block") block !== undefined && this.#ids.set(part.block, block.eventId);
    else if (block === undefined) this.#show("agent.thinking", this.#begin(part.blockIndex).eventId, 0, "");
  }

  /** The event id under which a block was shown; undefined when it was not. */
  idOf(block: AssistantBlock): string | undefined {
    return this.#ids.get(block);
  }

  #begin(blockIndex: number): ShownBlock {
    const block = { eventId: formatId("event", newUuid()), buffered: "", shown: 0 };
    this.#blocks.set(blockIndex, block);
    return block;
  }

  #addText(block: ShownBlock, text: string): void {
    const buffered = block.buffered + text;
    // The first half of a surrogate pair waits for the second.
    const end = buffered.length - (/[\ud800-\udbff]$/.test(buffered) ? 1 : 0);
    const blank = block.shown === 0 && buffered.trim() === "";
    const piece = blank ? "" : storableText(buffered.slice(0, end));
    if (piece !== "") this.#show("agent.message", block.eventId, block.shown, piece);
    block.buffered = buffered.slice(piece.length);
    block.shown += piece.length;
  }

  #show(type: PreviewPiece["type"], eventId: string, offset: number, text: string): void {
    this.#onPreview({ requestId: this.#requestId, eventId, type, offset, text });
  }
}
