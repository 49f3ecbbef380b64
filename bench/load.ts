import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Load {
  perSecond: number;
  count: number;
}

/**
 * Sends requests over `callers` kept connections, each the next one when its response is there, and returns how many got status 200. It
 * costs a few microseconds a request, so that a rate is the service's.
 *
 * @param next the head and body of a request, without `Host`.
 * @throws for a response with another status.
 */
export async function load(
  url: string,
  { callers, seconds }: { callers: number; seconds: number },
  next: () => string,
): Promise<Load> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: callers }, () => call(url, until, next)));
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { count, perSecond: count / ((performance.now() - began) / 1_000) };
}

/** The text of a request with a token. */
export function requestText(
  { url, token }: { url: string; token: string },
  method: string,
  path: string,
  body?: unknown,
): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const text = JSON.stringify(body);
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

async function call(url: string, until: number, next: () => string): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.setNoDelay(true);
  let done = 0;
  try {
    for (; performance.now() < until; done += 1) {
      socket.write(next());
      await response(socket);
    }
  } finally {
    socket.destroy();
  }
  return done;
}

/** Resolves when one response with a `Content-Length` has arrived. */
function response(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let expected: number | null = null;
    let head = "";
    const end = (error?: Error) => {
      socket.off("data", onData).off("error", end).off("close", onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = () => end(new Error("The connection was closed before the response."));
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (expected === null) {
        head += chunk.toString("latin1");
        const bodyAt = head.indexOf("\r\n\r\n");
        if (bodyAt < 0) return;
        if (!head.startsWith("HTTP/1.1 200 ")) return end(new Error(head.slice(0, 600)));
        expected = bodyAt + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      }
      if (received >= expected) end();
    };
    socket.on("data", onData).on("error", end).on("close", onClose);
  });
}
