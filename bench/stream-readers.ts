import { connect, type Socket } from "node:net";

/** The task of the process, in its first message. */
export interface ReadersTask {
  url: string;
  headers: Record<string, string>;
  readers: number;
}

/**
 * The program of the process with a stream's readers. It opens them as plain sockets, so that it uses little
 * of the machine, and sends `open` when each has the head of its response. Then it repeatedly receives a
 * number of deliveries, and reports how long each of the next deliveries took, in milliseconds. The text of
 * an event is `sent NANOSECONDS`.
 */
if (process.send !== undefined) {
  process.once("message", (task: ReadersTask) => void follow(task));
  process.once("disconnect", () => process.exit());
}

const MARK = "sent ";

async function follow({ url, headers, readers }: ReadersTask): Promise<void> {
  let delays: number[] = [];
  let awaited = Number.POSITIVE_INFINITY;
  const report = () => {
    if (delays.length < awaited) return;
    process.send?.(Float64Array.from(delays));
    delays = [];
    awaited = Number.POSITIVE_INFINITY;
  };
  const onDelay = (delay: number) => {
    delays.push(delay);
    report();
  };
  await Promise.all(Array.from({ length: readers }, () => openReader(new URL(url), headers, onDelay)));
  process.on("message", (count: number) => {
    awaited = count;
    report();
  });
  process.send?.("open");
}

/** Opens a reader, and resolves when the head of the response has arrived. */
function openReader(
  url: URL,
  headers: Record<string, string>,
  onDelay: (delay: number) => void,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const lines = Object.entries({ host: url.host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  let rest = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    const now = process.hrtime.bigint();
    const text = rest + chunk;
    if (text.startsWith("HTTP/1.1 200")) resolve(socket);
    let from = 0;
    for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, from)) {
      const end = text.indexOf('"', at);
      if (end < 0) break;
      onDelay(Number(now - BigInt(text.slice(at + MARK.length, end))) / 1e6);
      from = end;
    }
    rest = text.slice(Math.max(from, text.length - 2 * MARK.length - 40));
  });
  socket.once("error", reject).once("close", () => reject(new Error("the stream has ended")));
  return promise;
}
