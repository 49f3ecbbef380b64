import type { SessionEvent, StreamFrame } from "@berth/sdk";
import type { Screen } from "../terminal/screen.ts";
import { wholeText } from "./content-text.ts";
import { Draft } from "./draft.ts";

type Preview = Extract<StreamFrame, { type: "event_start" | "event_delta" }>;

/** Prints messages while the model writes them, and then only the missing rest of the stored message. */
export class LiveMessages {
  readonly #screen: Screen;
  readonly #drafts = new Map<string, Draft>();
  #current: string | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  preview(frame: Preview): void {
    if (frame.type === "event_delta") this.#add(frame.event_id, frame.delta.content.text);
    else if (frame.event.type === "agent.message") this.#begin(frame.event.id);
  }

  /**
   * Completes the draft of a stored message. Returns false for other events and for messages without a draft.
   */
  take(event: SessionEvent): boolean {
    const draft = event.type === "agent.message" ? this.#drafts.get(event.id) : undefined;
    if (draft === undefined || event.type !== "agent.message") return false;
    this.#drafts.delete(event.id);
    this.#write(event.id, draft.rest(wholeText(event)));
    if (this.#drafts.size === 0) this.#end();
    return true;
  }

  /** Drops the drafts when the model's response is over. Returns true if the text printed last is void. */
  drop(): boolean {
    const cut = this.#current !== null && this.#drafts.has(this.#current);
    this.#drafts.clear();
    this.#end();
    return cut;
  }

  #begin(id: string): void {
    const known = this.#drafts.get(id);
    if (known === undefined) this.#drafts.set(id, new Draft());
    else known.restart();
  }

  #add(id: string, piece: string): void {
    this.#write(id, this.#drafts.get(id)?.add(piece) ?? "");
  }

  #write(id: string, text: string): void {
    if (text === "") return;
    if (this.#current !== id) this.#screen.beginText();
    this.#current = id;
    this.#screen.writeText(text);
  }

  #end(): void {
    this.#current = null;
    this.#screen.endText();
  }
}
