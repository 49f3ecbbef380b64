import { once } from "node:events";
import { connect, type Socket } from "node:net";

const LAST_CHUNK = "0\r\n\r\n";

/** The number of successful requests, in total and per second. */
export interface Load {
  perSecond: number;
  count: number;
}

/**
 * Sends requests over `callers` persistent connections, each after the previous response, and returns how
 * many got a 2xx status. Its own cost is a few microseconds a request, so that the rate is the service's.
 *
 * @param next returns the text of a request; null ends the caller early.
 * @throws for a response with another status.
 */
export async function load(
  url: string,
  { callers, seconds }: { callers: number; seconds: number },
  next: () => string | null,
): Promise<Load> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: callers }, () => call(url, until, next)));
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { count, perSecond: count / ((performance.now() - began) / 1_000) };
}

/** Returns the text of a request; by default without a token. */
export function requestText(
  { url, token = null }: { url: string; token?: string | null },
  method: string,
  path: string,
  body?: unknown,
): string {
  const authorization = token === null ? "" : `authorization: Bearer ${token}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${authorization}`;
  if (body === undefined) return `${head}\r\n`;
  const text = JSON.stringify(body);
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

async function call(url: string, until: number, next: () => string | null): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.setNoDelay(true);
  let done = 0;
  try {
    for (; performance.now() < until; done += 1) {
      const text = next();
      if (text === null) break;
      socket.write(text);
      await response(socket);
    }
  } finally {
    socket.destroy();
  }
  return done;
}

/** Resolves when one response has arrived: with a `Content-Length`, in chunks, or without a body. */
function response(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let expected: number | null = null;
    let head = "";
    let tail: string | null = null;
    const end = (error?: Error) => {
      socket.off("data", onData).off("error", end).off("close", onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = () => end(new Error("The connection was closed before the response."));
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (tail !== null) tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - 5))).slice(-5);
      if (expected === null) {
        head += chunk.toString("latin1");
        const bodyAt = head.indexOf("\r\n\r\n");
        if (bodyAt < 0) return;
        if (!head.startsWith("HTTP/1.1 2")) return end(new Error(head.slice(0, 600)));
        if (/\r\ntransfer-encoding: chunked\r\n/i.test(head)) tail = head.slice(bodyAt + 2).slice(-5);
        expected = bodyAt + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      }
      if (tail === null ? received >= expected : tail === LAST_CHUNK) end();
    };
    socket.on("data", onData).on("error", end).on("close", onClose);
  });
}
