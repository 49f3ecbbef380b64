import { EventEmitter, once } from "node:events";
import { after } from "node:test";
import type { AnyJson, Api } from "./api.ts";
import { makeFile } from "./fixtures.ts";
import { type Frame, readFrames } from "./stream.ts";

/** Returns shell code that waits until `openGate` is called with the name. */
export function gate(name: string): string {
  return `until [ -e /data/gates/${name} ]; do sleep 0.05; done`;
}

/** Lets the command that waits at the gate continue. */
export async function openGate(api: Api, session: string, name: string): Promise<void> {
  const { id } = await makeFile(api, "open");
  const resource = { type: "file", file_id: id, mount_path: `/data/gates/${name}` };
  await api.ok("POST", `/sessions/${session}/resources`, resource);
}

/** A reader of a session's stream that includes the output of commands. */
export class OutputReader {
  readonly frames: Frame[] = [];
  readonly #arrived = new EventEmitter();
  readonly #stop = new AbortController();
  /** The reason why no further frame comes; null while the stream is open. */
  #end: Error | null = null;

  /** Resolves when the stream is open. */
  static async open(
    api: Api,
    session: string,
    query = "event_deltas[]=agent.tool_output",
  ): Promise<OutputReader> {
    const reader = new OutputReader();
    const opened = Promise.withResolvers<void>();
    const reading = reader.#read(readFrames(api, session, { query, onOpen: opened.resolve }));
    await Promise.race([opened.promise, reading]);
    reader.#requireMore();
    after(() => reader.close());
    return reader;
  }

  close(): void {
    this.#stop.abort();
  }

  /** Resolves once the condition is met. Fails if no frame comes for three minutes. */
  async until(isMet: (reader: OutputReader) => boolean): Promise<void> {
    while (!isMet(this)) {
      this.#requireMore();
      await once(this.#arrived, "frame");
    }
  }

  async untilIdle(): Promise<void> {
    await this.until(({ frames }) => frames.at(-1)?.event === "session.status_idle");
  }

  pieces(call?: string): AnyJson[] {
    return this.frames
      .filter(({ event }) => event === "agent.tool_output")
      .map(({ data }) => data)
      .filter(({ tool_use_id: id }) => call === undefined || id === call);
  }

  /** Returns the printed text, with `…` for omitted parts. */
  text(call?: string): string {
    let [end, text] = [0, ""];
    for (const { offset, text: piece } of this.pieces(call)) {
      text += `${offset > end ? "…" : ""}${piece}`;
      end = offset + piece.length;
    }
    return text;
  }

  /** Returns the id of the call whose command contains the word. */
  call(word: string): string {
    const use = this.frames.find(
      ({ event, data }) => event === "agent.tool_use" && data.input.command.includes(word),
    );
    return use?.data.id ?? "";
  }

  /** @throws if no further frame comes. */
  #requireMore(): void {
    if (this.#end === null) return;
    const events = this.frames.map(({ event }) => event).join(" ");
    const got = `${events}; printed: ${JSON.stringify(this.text().slice(-500))}`;
    throw new Error(`${this.#end.message}, after: ${got}`, { cause: this.#end });
  }

  /** Reads frames until the stream ends. Never rejects. */
  async #read(frames: AsyncIterable<Frame>): Promise<void> {
    try {
      for await (const frame of frames) {
        if (this.#stop.signal.aborted) return;
        this.frames.push(frame);
        this.#arrived.emit("frame");
      }
      this.#end = new Error("the server ended the stream");
    } catch (error) {
      this.#end = error instanceof Error ? error : new Error(String(error));
    }
    this.#arrived.emit("frame");
  }
}
