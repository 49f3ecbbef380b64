import type { SessionEvent, StreamFrame } from "@berth/sdk";
import type { Screen } from "../terminal/screen.ts";
import { wholeText } from "./content-text.ts";
import { Draft } from "./draft.ts";

type Preview = Exclude<StreamFrame, SessionEvent>;

/** Shows messages while the model writes them, and of the stored ones only what does not stand there yet. */
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

  /** True when the event is a message that stands there by now, whole. */
  take(event: SessionEvent): boolean {
    const draft = event.type === "agent.message" ? this.#drafts.get(event.id) : undefined;
    if (draft === undefined || event.type !== "agent.message") return false;
    this.#drafts.delete(event.id);
    this.#write(event.id, draft.rest(wholeText(event)));
    if (this.#drafts.size === 0) this.#end();
    return true;
  }

  /** To be called when the model's answer is over: true when what it wrote last is void. */
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
