const HEADER_BYTES = 9;
/** Either side sends data in much smaller frames. */
const MAX_BODY_BYTES = 1_048_576;

/** One frame of a connection that carries many streams. The program at its other end says what each kind means. */
export interface Frame {
  /** 0: the connection itself. */
  stream: number;
  kind: string;
  body: Buffer;
}

/** @param kind One ASCII letter. */
export function encodeFrame(stream: number, kind: string, body: Uint8Array | string = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(stream, 0);
  frame.write(kind, 4, 1, "latin1");
  frame.writeUInt32BE(bytes.length, 5);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Takes frames from bytes that arrive in any pieces. */
export class FrameDecoder {
  #bytes: Buffer = Buffer.alloc(0);

  /** @throws for a frame that is longer than any that is sent. */
  push(chunk: Buffer): Frame[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const frames: Frame[] = [];
    for (let frame = this.#take(); frame !== null; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame | null {
    const bytes = this.#bytes;
    if (bytes.length < HEADER_BYTES) return null;
    const end = HEADER_BYTES + bytes.readUInt32BE(5);
    if (end > HEADER_BYTES + MAX_BODY_BYTES) throw new Error("a frame is too long");
    if (bytes.length < end) return null;
    this.#bytes = bytes.subarray(end);
    return {
      stream: bytes.readUInt32BE(0),
      kind: bytes.toString("latin1", 4, 5),
      body: bytes.subarray(HEADER_BYTES, end),
    };
  }
}
