import type { PreviewPiece } from "@berth/agent";
import type { EventDelta, EventStart, PreviewedType, ToolOutput } from "@berth/contract";
import type { LivePiece, OutputPiece } from "@berth/store/notify";
import type { RequestAt, StreamedEvent } from "@berth/store/session-log";

/** Maximum characters of unsent frames. A reader with more gets no further pieces of text or output. */
const MAX_CHARACTERS = 256 * 1024;

/** Types of events that show that a turn is running. */
const BEGINNINGS: ReadonlySet<string> = new Set(["session.status_running", "span.model_request_start"]);

interface Preview {
  /** Number of characters that were sent. */
  next: number;
  /** Whether the reader lagged. It then gets no more of this event until it is stored. */
  cut: boolean;
}

/**
 * Preview frames of one reader. The pieces of an event are always a prefix of its text, in order. When the
 * stored event comes, the rest of the text is sent before it, and nothing of the event after it. The output
 * of a tool call is sent in order, perhaps with gaps, and never after the call's result.
 */
export class PreviewFeed {
  readonly #types: readonly PreviewedType[];
  readonly #previews = new Map<string, Preview>();
  readonly #stored: Set<string>;
  /** Offset after the last output that was sent, by running call. */
  readonly #outputs = new Map<string, number>();
  #isWorking = false;
  #endedRequest: string;
  #unsent = "";

  /** @param before position of the reader. Events before it, and ended requests, have no previews. */
  constructor(types: readonly PreviewedType[], before: RequestAt = { ended: null, stored: [] }) {
    this.#types = types;
    this.#endedRequest = before.ended ?? "";
    this.#stored = new Set(before.stored);
  }

  add(piece: LivePiece): void {
    if (!this.#types.includes(piece.type)) return;
    if (piece.type === "agent.tool_output") this.#addOutput(piece);
    else this.#addWritten(piece);
  }

  /** Whether the reader gets the output of tool calls. */
  get hasOutput(): boolean {
    return this.#types.includes("agent.tool_output");
  }

  /**
   * Whether a turn is running, so that tool calls may print. For a turn that began before the reader, this is
   * known only once a call prints.
   */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  #addWritten(piece: PreviewPiece): void {
    const { eventId, offset, text, requestId } = piece;
    if (requestId === this.#endedRequest || this.#stored.has(eventId)) return;
    const known = this.#previews.get(eventId);
    if (known === undefined && offset > 0) return;
    const preview = known ?? this.#start(piece);
    preview.cut ||= this.#unsent.length > MAX_CHARACTERS;
    if (!preview.cut && offset <= preview.next)
      this.#addText(eventId, preview, text.slice(preview.next - offset));
  }

  /** Adds output, except while the reader lags. The offset of the next piece shows the gap. */
  #addOutput({ toolUseId, offset, text }: OutputPiece): void {
    if (this.#stored.has(toolUseId)) return;
    this.#isWorking = true;
    const sent = this.#outputs.get(toolUseId) ?? 0;
    const fresh = text.slice(Math.max(0, sent - offset));
    if (fresh === "" || this.#unsent.length > MAX_CHARACTERS) return;
    const at = Math.max(sent, offset);
    this.#outputs.set(toolUseId, at + fresh.length);
    this.#addFrame({ type: "agent.tool_output", tool_use_id: toolUseId, offset: at, text: fresh });
  }

  /** Returns the frames since the last call. */
  frames(): string {
    const frames = this.#unsent;
    this.#unsent = "";
    return frames;
  }

  /** Returns the frames to send before a stored event. */
  before(event: StreamedEvent): string {
    if (event.type === "agent.message" || event.type === "agent.thinking") this.#end(event);
    if (event.type === "agent.tool_result" && this.hasOutput) this.#endOutput(event);
    if (BEGINNINGS.has(event.type)) this.#isWorking = true;
    if (event.type === "session.status_idle") this.#isWorking = false;
    if (event.type === "span.model_request_end") this.#endRequest(event);
    return this.frames();
  }

  /** Forgets the request's previews, unless it was a request of a call's own loop, which has none. */
  #endRequest(event: StreamedEvent): void {
    const { model_request_start_id: id, parent_tool_use_id: parent } = JSON.parse(event.json) as {
      model_request_start_id: string;
      parent_tool_use_id?: string;
    };
    if (parent !== undefined) return;
    this.#endedRequest = id;
    this.#previews.clear();
    this.#outputs.clear();
    this.#stored.clear();
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

  #endOutput(event: StreamedEvent): void {
    const { tool_use_id: id } = JSON.parse(event.json) as { tool_use_id: string };
    this.#outputs.delete(id);
    this.#stored.add(id);
  }

  #addText(eventId: string, preview: Preview, text: string): void {
    if (text === "") return;
    preview.next += text.length;
    const delta = { type: "content_delta" as const, index: 0, content: { type: "text" as const, text } };
    this.#addFrame({ type: "event_delta", event_id: eventId, delta });
  }

  #addFrame(frame: EventStart | EventDelta | ToolOutput): void {
    this.#unsent += `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
  }
}
