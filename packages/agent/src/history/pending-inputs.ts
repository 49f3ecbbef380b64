import type { EventOf } from "@berth/contract";
import type { ImageBlock, TextBlock, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { messageBlocks, operatorBlock, textOf } from "./message-blocks.ts";
import type { MessageFiles } from "./message-files.ts";

type InputEvent = EventOf<"user.message" | "user.interrupt" | "system.message">;

/** The inputs and the notices about the session that enter the history with the next request. */
export class PendingInputs {
  /** The text of the newest user message in the history. */
  newestMessage = "";
  /** The texts of the user messages before it. */
  earlierMessages: readonly string[] = [];
  newestImages: readonly ImageBlock[] = [];
  /** The loop's note about the newest response. */
  note: string | null = null;
  /** A notice for the model about a reclaimed container; null once it was sent. */
  containerReclaimed: string | null = null;
  /** Notices about MCP servers that were not yet sent to the model. */
  mcpNotes: string[] = [];
  readonly #files: MessageFiles;
  #events: InputEvent[] = [];
  #interrupted = false;

  constructor(files: MessageFiles) {
    this.#files = files;
  }

  /** Returns an independent copy. */
  fork(): PendingInputs {
    const fork = new PendingInputs(this.#files);
    fork.newestMessage = this.newestMessage;
    fork.earlierMessages = this.earlierMessages;
    fork.newestImages = this.newestImages;
    fork.note = this.note;
    fork.containerReclaimed = this.containerReclaimed;
    fork.mcpNotes = [...this.mcpNotes];
    fork.#events = [...this.#events];
    fork.#interrupted = this.#interrupted;
    return fork;
  }

  add(event: InputEvent): void {
    this.#events.push(event);
  }

  /** Returns and clears the session's notices. They accompany other content and never cause a request. */
  takeNotices(): TextBlock[] {
    const texts = [...(this.containerReclaimed === null ? [] : [this.containerReclaimed]), ...this.mcpNotes];
    this.containerReclaimed = null;
    this.mcpNotes = [];
    return texts.map((text) => ({ type: "text", text }));
  }

  /** Returns and clears notices, note and inputs, in this order; empty when there are only notices. */
  take(): UserBlock[] {
    const blocks: UserBlock[] = [];
    if (this.note !== null) blocks.push({ type: "text", text: this.note });
    this.note = null;
    for (const event of this.#events) blocks.push(...this.#blocksOf(event));
    this.#events = [];
    return blocks.length === 0 ? [] : [...this.takeNotices(), ...blocks];
  }

  /** Converts an input; an interrupt becomes a note before the message that follows it. */
  #blocksOf(event: InputEvent): UserBlock[] {
    if (event.type === "system.message") return [operatorBlock(event)];
    if (event.type === "user.interrupt") {
      this.#interrupted = true;
      return [];
    }
    const note: UserBlock[] = this.#interrupted ? [{ type: "text", text: notes.USER_INTERRUPTED }] : [];
    this.#interrupted = false;
    const message = messageBlocks(event, this.#files);
    if (this.newestMessage !== "") this.earlierMessages = [...this.earlierMessages, this.newestMessage];
    this.newestMessage = textOf(message);
    this.newestImages = message.filter((block) => block.type === "image");
    return [...note, ...message];
  }
}
