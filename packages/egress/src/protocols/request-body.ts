import { type Readable, Transform } from "node:stream";
import { type RequestHead, valuesOf } from "./http-head.ts";

/** Takes bytes after a head and returns how many belong to the body. @throws Error on invalid framing. */
type Meter = (bytes: Buffer) => number;

const MAX_LINE = 8_192;

/**
 * Returns a stream that passes the body of one request and drops everything after it. So a second request on
 * the connection, whose Host was not checked, reaches no server. For an upgrade it passes nothing until
 * `response` begins with status 101, then everything.
 */
export function requestBody(head: RequestHead, response: Readable): Transform {
  if (valuesOf(head.headers, "upgrade").length > 0) return afterUpgrade(response);
  const meter = createMeter(head);
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      try {
        const own = meter(bytes);
        done(null, own === 0 ? undefined : bytes.subarray(0, own));
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/** Passes bytes only after an upgrade. Otherwise a server would read them as the next request. */
function afterUpgrade(response: Readable): Transform {
  const { promise: upgraded, resolve } = Promise.withResolvers<boolean>();
  response.once("data", (first: Buffer) => resolve(/^HTTP\/1\.1 101 /.test(first.toString("latin1", 0, 13))));
  response.once("close", () => resolve(false));
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      void upgraded.then((isUpgraded) => done(null, isUpgraded ? bytes : undefined));
    },
  });
}

function createMeter({ headers }: RequestHead): Meter {
  if (valuesOf(headers, "transfer-encoding").length > 0) {
    const meter = new ChunkMeter();
    return (bytes) => meter.measure(bytes);
  }
  return lengthMeter(Number(valuesOf(headers, "content-length")[0] ?? 0));
}

function lengthMeter(length: number): Meter {
  let left = length;
  return (bytes) => {
    const own = Math.min(left, bytes.length);
    left -= own;
    return own;
  };
}

/**
 * Measures chunks and trailer strictly: lines end with CRLF, sizes are hexadecimal, a chunk has exactly its
 * size.
 */
class ChunkMeter {
  #line = "";
  #left = 0;
  #state: "size" | "data" | "end of data" | "trailer" | "done" = "size";

  measure(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      at += this.#state === "data" ? this.#skipData(bytes.length - at) : this.#readLine(bytes.subarray(at));
    }
    return at;
  }

  #skipData(available: number): number {
    const own = Math.min(this.#left, available);
    this.#left -= own;
    if (this.#left === 0) this.#state = "end of data";
    return own;
  }

  #readLine(bytes: Buffer): number {
    const end = bytes.indexOf("\n");
    const length = end < 0 ? bytes.length : end + 1;
    this.#line += bytes.toString("latin1", 0, length);
    if (this.#line.length > MAX_LINE) throw new Error("A line of the body is too long.");
    if (end < 0) return length;
    if (!/^[^\r\n]*\r\n$/.test(this.#line)) throw new Error("A line of the body does not end with CRLF.");
    this.#take(this.#line.slice(0, -2));
    this.#line = "";
    return length;
  }

  /** Acts on a complete line. */
  #take(line: string): void {
    if (this.#state === "trailer") {
      if (line === "") this.#state = "done";
    } else if (this.#state === "end of data") {
      if (line !== "") throw new Error("A chunk is longer than its size.");
      this.#state = "size";
    } else {
      const size = /^([0-9a-f]{1,12})(?:[ \t]*;[^\r\n]*)?$/i.exec(line)?.[1];
      if (size === undefined) throw new Error("The size of a chunk is invalid.");
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? "trailer" : "data";
    }
  }
}
