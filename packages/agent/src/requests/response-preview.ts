import { formatId, newUuid } from "@berth/contract";
import type { AssistantBlock, ModelPart } from "../models/model.ts";
import { storableText } from "../prompts/text.ts";

/** A piece of an event that is not stored yet, and never will be if its request ends with an error. */
export interface PreviewPiece {
  /** Id of the `span.model_request_start`. */
  requestId: string;
  /** The id that the event will have. */
  eventId: string;
  type: "agent.message" | "agent.thinking";
  /** The number of characters of the event's text before this piece. */
  offset: number;
  /** Empty for `agent.thinking`: the preview only shows that it began. */
  text: string;
}

export type OnPreview = (piece: PreviewPiece) => void;

/** Transforms a text that arrives in pieces, and may hold back its end. */
export interface TextStream {
  write(piece: string): string;
  /** Returns the text that is held back. */
  end(): string;
}

/** Creates a new stream for each text. */
export type TextStreams = () => TextStream;

const UNCHANGED: TextStreams = () => ({ write: (piece) => piece, end: () => "" });

interface ShownBlock {
  eventId: string;
  /** Text that was not yet passed to `stream`. */
  buffered: string;
  /** The number of characters passed to `stream`. */
  taken: number;
  stream: TextStream;
  /** The number of characters shown. */
  shown: number;
}

/**
 * Shows a response while it streams, and assigns the ids of the events that its blocks become. Blank text is
 * held back, since a blank text becomes no event.
 */
export class ResponsePreview {
  readonly #requestId: string;
  readonly #onPreview: OnPreview;
  readonly #newStream: TextStreams;
  readonly #blocks = new Map<number, ShownBlock>();
  readonly #ids = new Map<AssistantBlock, string>();

  /** @param newStream creates the filter for the text of each block. */
  constructor(requestId: string, onPreview: OnPreview, newStream: TextStreams = UNCHANGED) {
    this.#requestId = requestId;
    this.#onPreview = onPreview;
    this.#newStream = newStream;
  }

  add(part: Exclude<ModelPart, { type: "finish" }>): void {
    const block = this.#blocks.get(part.blockIndex);
    if (part.type === "text_delta") this.#addText(block ?? this.#begin(part.blockIndex), part.text);
    else if (part.type === "block") this.#end(part.block, block);
    else if (block === undefined) this.#show("agent.thinking", this.#begin(part.blockIndex).eventId, 0, "");
  }

  /** Returns the event id under which a block was shown; undefined when it was not. */
  idOf(block: AssistantBlock): string | undefined {
    return this.#ids.get(block);
  }

  #begin(blockIndex: number): ShownBlock {
    const block = {
      eventId: formatId("event", newUuid()),
      buffered: "",
      taken: 0,
      stream: this.#newStream(),
      shown: 0,
    };
    this.#blocks.set(blockIndex, block);
    return block;
  }

  #end(block: AssistantBlock, shown: ShownBlock | undefined): void {
    if (shown === undefined) return;
    this.#ids.set(block, shown.eventId);
    this.#showText(shown, shown.stream.end());
  }

  #addText(block: ShownBlock, text: string): void {
    const buffered = block.buffered + text;
    // The first half of a surrogate pair waits for the second.
    const end = buffered.length - (/[\ud800-\udbff]$/.test(buffered) ? 1 : 0);
    const blank = block.taken === 0 && buffered.trim() === "";
    const piece = blank ? "" : storableText(buffered.slice(0, end));
    block.buffered = buffered.slice(piece.length);
    block.taken += piece.length;
    this.#showText(block, block.stream.write(piece));
  }

  #showText(block: ShownBlock, text: string): void {
    if (text === "") return;
    this.#show("agent.message", block.eventId, block.shown, text);
    block.shown += text.length;
  }

  #show(type: PreviewPiece["type"], eventId: string, offset: number, text: string): void {
    this.#onPreview({ requestId: this.#requestId, eventId, type, offset, text });
  }
}
