import type { CallOutput } from "@berth/agent";
import type { LiveOutput } from "@berth/store/notify";
import { contextBytes, keptContext, MaskedOutput, type MaskStream } from "./masked-output.ts";
import { RecentBytes } from "./recent-bytes.ts";

/** The most bytes of one piece for followers. Of more, only the newest bytes are shown. */
const MAX_PIECE_BYTES = 8 * 1024;
/** Bytes of the beginning and of the end that `text` returns. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 12 * 1024;

/**
 * The output of one command, without secrets. Adding a chunk costs at most a copy of it. Text is decoded and
 * masked only when it is read, a few kilobytes at a time, so that a flood of output costs little.
 */
export class PrintedOutput implements CallOutput, LiveOutput {
  readonly toolUseId: string;
  readonly #newMask: () => MaskStream;
  readonly #ended: () => void;
  readonly #changed: () => void;
  readonly #recent: RecentBytes;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  /** The text that followers read last, and its offset. */
  #window = { offset: 0, text: "" };
  #live: MaskedOutput;

  /** @param on `changed` is called when something was printed, `ended` when the call has ended. */
  constructor(toolUseId: string, newMask: () => MaskStream, on: { changed(): void; ended(): void }) {
    this.toolUseId = toolUseId;
    this.#newMask = newMask;
    this.#changed = on.changed;
    this.#ended = on.ended;
    const mask = newMask();
    this.#recent = new RecentBytes(HEAD_BYTES + TAIL_BYTES + keptContext(mask));
    this.#live = new MaskedOutput(mask, 0, 0);
  }

  /** Bytes that were printed so far. */
  get bytes(): number {
    return this.#recent.end;
  }

  add(bytes: Uint8Array): void {
    this.#recent.add(bytes);
    const first = bytes.subarray(0, HEAD_BYTES - this.#headBytes);
    if (first.length > 0) this.#head.push(Buffer.from(first));
    this.#headBytes += first.length;
    this.#changed();
  }

  end(): void {
    this.#ended();
  }

  take(again: boolean): { offset: number; text: string } | null {
    const before = this.#window.offset + this.#window.text.length;
    if (this.#recent.end - this.#live.at > MAX_PIECE_BYTES) this.#leaveOut();
    const offset = Math.max(before, this.#window.offset);
    const text = this.#live.write(this.#recent.read(this.#live.at, this.#recent.end));
    this.#addToWindow(text);
    if (again) return this.#window;
    return text === "" ? null : { offset, text };
  }

  text(): string {
    const { end } = this.#recent;
    if (end <= HEAD_BYTES + TAIL_BYTES) return this.#textFrom(0);
    const head = new MaskedOutput(this.#newMask(), 0, 0).write(Buffer.concat(this.#head));
    const from = this.#shownFrom(end - TAIL_BYTES);
    const note = `[${Math.min(from, end) - HEAD_BYTES} bytes left out of the middle]`;
    return `${head}\n${note}\n${this.#textFrom(from)}`;
  }

  #textFrom(shownFrom: number): string {
    const { oldest, end } = this.#recent;
    return new MaskedOutput(this.#newMask(), oldest, shownFrom).write(this.#recent.read(oldest, end));
  }

  /** Returns the first position from the given one on for which it is known whether it lies in a secret. */
  #shownFrom(position: number): number {
    const { oldest } = this.#recent;
    return oldest === 0 ? position : Math.max(position, oldest + contextBytes(this.#newMask()));
  }

  /** Skips to the newest bytes. */
  #leaveOut(): void {
    const { oldest, end } = this.#recent;
    const from = this.#shownFrom(end - MAX_PIECE_BYTES);
    const before = this.#window.offset + this.#window.text.length;
    this.#window = { offset: before + from - this.#live.at, text: "" };
    const context = Math.max(oldest, from - contextBytes(this.#newMask()));
    this.#live = new MaskedOutput(this.#newMask(), context, from);
  }

  #addToWindow(text: string): void {
    const whole = this.#window.text + text;
    const cut = Math.max(0, whole.length - MAX_PIECE_BYTES);
    this.#window = { offset: this.#window.offset + cut, text: whole.slice(cut) };
  }
}
