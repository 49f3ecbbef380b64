import type { PreviewPiece } from "@berth/agent";
import type { EventDelta, EventStart, PreviewedType } from "@berth/contract";
import type { StreamedEvent } from "./event-store.ts";

/**
 * The preview frames of one reader. What it gives out of an event is always a beginning of its text, in order, and when
 * the stored event comes, the rest of it first; nothing of an event comes after that.
 */
export interface PreviewFeed {
  take(piece: PreviewPiece): void;
  /** The frames since the last call. */
  frames(): string;
  /** The frames that go before a stored event. */
  before(event: StreamedEvent): string;
}

/** A reader that lags by more than so many characters of frames gets no more pieces of what is written just now. */
const MOST_CHARACTERS = 256 * 1024;

interface Begun {
  next: number;
  cut: boolean;
}

export function createPreviewFeed(types: readonly PreviewedType[]): PreviewFeed {
  const begun = new Map<string, Begun>();
  const stored = new Set<string>();
  let endedRequest = "";
  let waiting = "";

  function add(frame: EventStart | EventDelta): void {
    waiting += `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
  }

  function begin({ eventId, type }: PreviewPiece): Begun {
    const own = { next: 0, cut: false };
    begun.set(eventId, own);
    add({ type: "event_start", event: { type, id: eventId } });
    return own;
  }

  function addText(eventId: string, own: Begun, text: string): void {
    if (text === "") return;
    own.next += text.length;
    const delta = { type: "content_delta" as const, index: 0, content: { type: "text" as const, text } };
    add({ type: "event_delta", event_id: eventId, delta });
  }

  function frames(): string {
    const given = waiting;
    waiting = "";
    return given;
  }

  function end(event: StreamedEvent): void {
    const own = begun.get(event.id);
    stored.add(event.id);
    begun.delete(event.id);
    if (own === undefined || own.cut || event.type !== "agent.message") return;
    const { content } = JSON.parse(event.json) as { content: { text: string }[] };
    addText(
      event.id,
      own,
      content
        .map(({ text }) => text)
        .join("")
        .slice(own.next),
    );
  }

  return {
    frames,
    take(piece) {
      const { eventId, offset, text } = piece;
      if (!types.includes(piece.type) || piece.requestId === endedRequest || stored.has(eventId)) return;
      const known = begun.get(eventId);
      if (known === undefined && offset > 0) return;
      const own = known ?? begin(piece);
      own.cut ||= waiting.length > MOST_CHARACTERS;
      if (!own.cut && offset <= own.next) addText(eventId, own, text.slice(own.next - offset));
    },
    before(event) {
      if (event.type === "agent.message" || event.type === "agent.thinking") end(event);
      if (event.type === "span.model_request_end") {
        endedRequest = (JSON.parse(event.json) as { model_request_start_id: string }).model_request_start_id;
        begun.clear();
        stored.clear();
      }
      return frames();
    },
  };
}
