import type { PreviewPiece } from "@berth/agent";
import type { EventDelta, EventStart, PreviewedType } from "@berth/contract";
import type { RequestAt, StreamedEvent } from "./event-store.ts";

/** A reader with more characters of unsent frames than this gets no more pieces of the events being written. */
const MAX_CHARACTERS = 256 * 1024;

interface Preview {
  /** How much of the text was sent. */
  next: number;
  /** The reader lagged, and gets no more of this event before it is stored. */
  cut: boolean;
}

/**
 * The preview frames of one reader. What it sends of an event is always a prefix of its text, in order. When the stored event
 * comes, the rest of the text is sent before it, and nothing of the event after it.
 */
export class PreviewFeed {
  readonly #types: readonly PreviewedType[];
  readonly #previews = new Map<string, Preview>();
  readonly #stored: Set<string>;
  #endedRequest: string;
  #unsent = "";

  /** @param before where the reader begins: nothing is sent of what it has, or of a request that had ended. */
  constructor(types: readonly PreviewedType[], before: RequestAt = { ended: null, stored: [] }) {
    this.#types = types;
    this.#endedRequest = before.ended ?? "";
    this.#stored = new Set(before.stored);
  }

  add(piece: PreviewPiece): void {
    const { eventId, offset, text, requestId } = piece;
    if (!this.#types.includes(piece.type)) return;
    if (requestId === this.#endedRequest || this.#stored.has(eventId)) return;
    const known = this.#previews.get(eventId);
    if (known === undefined && offset > 0) return;
    const preview = known ?? this.#start(piece);
    preview.cut ||= this.#unsent.length > MAX_CHARACTERS;
    if (!preview.cut && offset <= preview.next)
      this.#addText(eventId, preview, text.slice(preview.next - offset));
  }

  /** The frames since the last call. */
  frames(): string {
    const frames = this.#unsent;
    this.#unsent = "";
    return frames;
  }

  /** The frames to send before a stored event. */
  before(event: StreamedEvent): string {
    if (event.type === "agent.message" || event.type === "agent.thinking") this.#end(event);
    if (event.type === "span.model_request_end") {
      this.#endedRequest = (
        JSON.parse(event.json) as { model_request_start_id: string }
      ).model_request_start_id;
      this.#previews.clear();
      this.#stored.clear();
    }
    return this.frames();
  }

  #start({ eventId, type }: PreviewPiece): Preview {
    const preview = { next: 0, cut: false };
    this.#previews.set(eventId, preview);
    this.#addFrame({ type: "event_start", event: { type, id: eventId } });
    return preview;
  }

  #end(event: StreamedEvent): void {
    const preview = this.#previews.get(event.id);
    this.#stored.add(event.id);
    this.#previews.delete(event.id);
    if (preview === undefined || preview.cut || event.type !== "agent.message") return;
    const { content } = JSON.parse(event.json) as { content: { text: string }[] };
    const text = content.map((block) => block.text).join("");
    this.#addText(event.id, preview, text.slice(preview.next));
  }

  #addText(eventId: string, preview: Preview, text: string): void {
    if (text === "") return;
    preview.next += text.length;
    const delta = { type: "content_delta" as const, index: 0, content: { type: "text" as const, text } };
    this.#addFrame({ type: "event_delta", event_id: eventId, delta });
  }

  #addFrame(frame: EventStart | EventDelta): void {
    this.#unsent += `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
  }
}
