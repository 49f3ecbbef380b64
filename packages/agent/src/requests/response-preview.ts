import { formatId, newUuid } from "@berth/contract";
import type { AssistantBlock, ModelPart } from "../models/model.ts";
import { storableText } from "../prompts/text.ts";

/** A piece of an event that is not stored yet, and may never be: then its request ends with an error. */
export interface PreviewPiece {
  /** Id of the `span.model_request_start`. */
  requestId: string;
  /** The id that the event is stored with. */
  eventId: string;
  type: "agent.message" | "agent.thinking";
  /** Characters of the event's text before this piece. */
  offset: number;
  /** Empty for `agent.thinking`, which is only announced. */
  text: string;
}

export type Preview = (piece: PreviewPiece) => void;

interface Begun {
  eventId: string;
  /** Text that was not shown yet. */
  waiting: string;
  /** Characters that were. */
  shown: number;
}

/**
 * An answer as it is made: shows its pieces, and keeps the ids under which they were shown for the events that they
 * become. What is blank so far is not shown, since a blank text becomes no event.
 */
export class ResponsePreview {
  readonly #requestId: string;
  readonly #preview: Preview;
  readonly #begun = new Map<number, Begun>();
  readonly #ids = new Map<AssistantBlock, string>();

  constructor(requestId: string, preview: Preview) {
    this.#requestId = requestId;
    this.#preview = preview;
  }

  take(part: Exclude<ModelPart, { type: "finish" }>): void {
    const begun = this.#begun.get(part.blockIndex);
    if (part.type === "text_delta") this.#addText(begun ?? this.#begin(part.blockIndex), part.text);
    else if (part.type === "block") begun !== undefined && this.#ids.set(part.block, begun.eventId);
    else if (begun === undefined) this.#show("agent.thinking", this.#begin(part.blockIndex).eventId, 0, "");
  }

  /** The id under which a block was shown; undefined when it was not. */
  idOf(block: AssistantBlock): string | undefined {
    return this.#ids.get(block);
  }

  #begin(blockIndex: number): Begun {
    const begun = { eventId: formatId("event", newUuid()), waiting: "", shown: 0 };
    this.#begun.set(blockIndex, begun);
    return begun;
  }

  #addText(begun: Begun, text: string): void {
    const waiting = begun.waiting + text;
    // Half a pair of surrogates waits for its other half.
    const end = waiting.length - (/[\ud800-\udbff]$/.test(waiting) ? 1 : 0);
    const blank = begun.shown === 0 && waiting.trim() === "";
    const piece = blank ? "" : storableText(waiting.slice(0, end));
    if (piece !== "") this.#show("agent.message", begun.eventId, begun.shown, piece);
    begun.waiting = waiting.slice(piece.length);
    begun.shown += piece.length;
  }

  #show(type: PreviewPiece["type"], eventId: string, offset: number, text: string): void {
    this.#preview({ requestId: this.#requestId, eventId, type, offset, text });
  }
}
