const HEADER_BYTES = 9;
/** Maximum bytes of a frame's body. Both sides send data in much smaller frames. */
const MAX_BODY_BYTES = 1_048_576;

/** One frame of a connection that multiplexes streams. The program at the other end defines the kinds. */
export interface Frame {
  /** Number of the stream; 0 is the connection itself. */
  stream: number;
  kind: string;
  body: Buffer;
}

/** Encodes a frame. @param kind One ASCII letter. */
export function encodeFrame(stream: number, kind: string, body: Uint8Array | string = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(stream, 0);
  frame.write(kind, 4, 1, "latin1");
  frame.writeUInt32BE(bytes.length, 5);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/**
 * Decodes frames from bytes that arrive in pieces of any size. A piece takes time in proportion to its
 * length, however long the frame is.
 */
export class FrameDecoder {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Number of bytes needed before the next frame can be decoded. */
  #needed = HEADER_BYTES;

  /** Adds a piece and returns the complete frames. @throws Error for a frame longer than the maximum. */
  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    if (this.#length < this.#needed) return frames;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (this.#needed = neededFor(bytes); bytes.length >= this.#needed; this.#needed = neededFor(bytes)) {
      frames.push(frameOf(bytes));
      bytes = bytes.subarray(this.#needed);
    }
    this.#chunks = [bytes];
    this.#length = bytes.length;
    return frames;
  }
}

function neededFor(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
  const length = bytes.readUInt32BE(5);
  if (length > MAX_BODY_BYTES) throw new Error("a frame is too long");
  return HEADER_BYTES + length;
}

function frameOf(bytes: Buffer): Frame {
  return {
    stream: bytes.readUInt32BE(0),
    kind: bytes.toString("latin1", 4, 5),
    body: bytes.subarray(HEADER_BYTES, HEADER_BYTES + bytes.readUInt32BE(5)),
  };
}
