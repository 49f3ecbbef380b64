const HEADER_BYTES = 9;

/** One frame between the service and `pipe-server.pl`, which says what each kind means. */
export interface Frame {
  channel: number;
  kind: string;
  body: Buffer;
}

/** @param kind One ASCII letter. */
export function encodeFrame(channel: number, kind: string, body: Uint8Array | string = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(channel, 0);
  frame.write(kind, 4, 1, "latin1");
  frame.writeUInt32BE(bytes.length, 5);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Takes frames from bytes that arrive in any pieces. */
export class FrameDecoder {
  #waiting: Buffer[] = [];
  #bytes = 0;
  readonly #onFrame: (frame: Frame) => void;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#bytes += chunk.length;
    for (let frame = this.#take(); frame !== null; frame = this.#take()) this.#onFrame(frame);
  }

  #take(): Frame | null {
    if (this.#bytes < HEADER_BYTES) return null;
    const head = this.#joined();
    const length = head.readUInt32BE(5);
    if (head.length < HEADER_BYTES + length) return null;
    const rest = head.subarray(HEADER_BYTES + length);
    this.#waiting = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    return {
      channel: head.readUInt32BE(0),
      kind: head.toString("latin1", 4, 5),
      body: head.subarray(HEADER_BYTES, HEADER_BYTES + length),
    };
  }

  #joined(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#waiting;
    if (more.length === 0) return first;
    const joined = Buffer.concat(this.#waiting, this.#bytes);
    this.#waiting = [joined];
    return joined;
  }
}
