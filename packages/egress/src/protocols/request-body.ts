import { type Readable, Transform } from "node:stream";
import { type RequestHead, valuesOf } from "./http-head.ts";

/** Takes what comes after a head; answers how many of the bytes are still of the body. Throws at what is no body. */
type Meter = (bytes: Buffer) => number;

const longestLine = 8_192;

/**
 * Passes the body of one request and drops whatever comes after it, so that a second request on the connection, whose Host
 * nobody checked, reaches no server. After a switch to another protocol everything passes: when the server's `answer` begins with it,
 * and nothing before that.
 */
export function requestBody(head: RequestHead, answer: Readable): Transform {
  if (valuesOf(head.headers, "upgrade").length > 0) return afterSwitch(answer);
  const meter = meterOf(head);
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

/** A server that stays with HTTP would take what comes for its next request. */
function afterSwitch(answer: Readable): Transform {
  const { promise: switched, resolve } = Promise.withResolvers<boolean>();
  answer.once("data", (first: Buffer) => resolve(/^HTTP\/1\.1 101 /.test(first.toString("latin1", 0, 13))));
  answer.once("close", () => resolve(false));
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      void switched.then((isSwitched) => done(null, isSwitched ? bytes : undefined));
    },
  });
}

function meterOf({ headers }: RequestHead): Meter {
  if (valuesOf(headers, "transfer-encoding").length > 0) return chunkMeter();
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

/** Chunks and trailer, by the letter: lines end with CRLF, sizes are hexadecimal, a chunk ends where its size says. */
function chunkMeter(): Meter {
  let line = "";
  let data = 0;
  let state: "size" | "data" | "end of data" | "trailer" | "done" = "size";

  /** Acts on a whole line. */
  function take(text: string): void {
    if (state === "trailer") {
      if (text === "") state = "done";
    } else if (state === "end of data") {
      if (text !== "") throw new Error("A chunk is longer than its size.");
      state = "size";
    } else {
      const size = /^([0-9a-f]{1,12})(?:[ \t]*;[^\r\n]*)?$/i.exec(text)?.[1];
      if (size === undefined) throw new Error("The size of a chunk is none.");
      data = Number.parseInt(size, 16);
      state = data === 0 ? "trailer" : "data";
    }
  }

  return (bytes) => {
    let at = 0;
    while (at < bytes.length && state !== "done") {
      if (state === "data") {
        const own = Math.min(data, bytes.length - at);
        [at, data] = [at + own, data - own];
        if (data === 0) state = "end of data";
        continue;
      }
      const end = bytes.indexOf("\n", at);
      const stop = end < 0 ? bytes.length : end + 1;
      line += bytes.toString("latin1", at, stop);
      at = stop;
      if (line.length > longestLine) throw new Error("A line of the body is too long.");
      if (end < 0) break;
      if (!/^[^\r\n]*\r\n$/.test(line)) throw new Error("A line of the body does not end as one.");
      take(line.slice(0, -2));
      line = "";
    }
    return at;
  };
}
