import type { EventOf } from "@berth/contract";
import type { ImageBlock, TextBlock, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { messageBlocks, operatorBlock, textOf } from "./message-blocks.ts";
import type { MessageFiles } from "./message-files.ts";

type WaitingEvent = EventOf<"user.message" | "user.interrupt" | "system.message">;

/** What waits to enter a history with the next request: inputs, and what happened to the session. */
export class PendingInputs {
  /** Of the newest user message that has entered. */
  newestMessage = "";
  newestImages: readonly ImageBlock[] = [];
  /** What the loop itself says of the newest answer. */
  note: string | null = null;
  /** The session has another container than the model knows. */
  containerReclaimed = false;
  /** Of MCP servers, that no request has been told of. */
  faults: string[] = [];
  readonly #files: MessageFiles;
  #events: WaitingEvent[] = [];
  #interrupted = false;

  constructor(files: MessageFiles) {
    this.#files = files;
  }

  add(event: WaitingEvent): void {
    this.#events.push(event);
  }

  /** What happened to the session; it goes with what enters, and makes no request by itself. */
  takeNews(): TextBlock[] {
    const texts = [
      ...(this.containerReclaimed ? [notes.containerReclaimed] : []),
      ...this.faults.map(notes.missingTools),
    ];
    this.containerReclaimed = false;
    this.faults = [];
    return texts.map((text) => ({ type: "text", text }));
  }

  /** The note and the inputs, after the news; nothing when there are only news. */
  take(): UserBlock[] {
    const blocks: UserBlock[] = [];
    if (this.note !== null) blocks.push({ type: "text", text: this.note });
    this.note = null;
    for (const event of this.#events) blocks.push(...this.#entering(event));
    this.#events = [];
    return blocks.length === 0 ? [] : [...this.takeNews(), ...blocks];
  }

  /** An interrupt is told before the message that follows it. */
  #entering(event: WaitingEvent): UserBlock[] {
    if (event.type === "system.message") return [operatorBlock(event)];
    if (event.type === "user.interrupt") {
      this.#interrupted = true;
      return [];
    }
    const told: UserBlock[] = this.#interrupted ? [{ type: "text", text: notes.USER_INTERRUPTED }] : [];
    this.#interrupted = false;
    const message = messageBlocks(event, this.#files);
    this.newestMessage = textOf(message);
    this.newestImages = message.filter((block) => block.type === "image");
    return [...told, ...message];
  }
}
