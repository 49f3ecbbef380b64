import { type IncomingMessage, request as open } from "node:http";
import type { Duplex } from "node:stream";
import type { Entered } from "./entered.ts";
import { connected } from "./port-agents.ts";
import { requestHeaders, responseHeaders } from "./preview-headers.ts";
import type { PreviewLinks } from "./preview-links.ts";

/**
 * Forwards a request that opens a web socket, and then its bytes, both ways. Returns the status of the response.
 *
 * @throws NotConnectedError, and whatever ends a request before its response.
 */
export async function forwardUpgrade(
  links: PreviewLinks,
  { request, preview, to, path, byHeader }: Entered,
  { socket, head }: { socket: Duplex; head: Buffer },
): Promise<number> {
  const stream = await connected(links, preview.session_id, preview.port);
  const end = () => {
    stream.destroy();
    socket.destroy();
  };
  socket.once("close", end);
  stream.once("close", end);
  stream.on("error", end);
  const headers = [
    ...requestHeaders(request, to, byHeader),
    ["Connection", "Upgrade"],
    ["Upgrade", "websocket"],
  ];
  const sent = open({
    createConnection: () => stream,
    method: request.method,
    path,
    host: "localhost",
    setHost: false,
    headers: headers.flat() as never,
  });
  sent.end();
  const { answer, rest } = await new Promise<{ answer: IncomingMessage; rest: Buffer | null }>(
    (resolve, reject) => {
      sent.once("upgrade", (answer, _socket, rest) => resolve({ answer, rest }));
      sent.once("response", (answer) => resolve({ answer, rest: null }));
      sent.once("error", reject);
    },
  );
  const pairs = responseHeaders(answer, to);
  if (rest !== null)
    pairs.push(["Connection", "Upgrade"], ["Upgrade", answer.headers.upgrade ?? "websocket"]);
  else pairs.push(["Connection", "close"]);
  const lines = pairs.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const { statusCode: status = 0 } = answer;
  socket.write(`HTTP/1.1 ${status} ${answer.statusMessage}\r\n${lines}\r\n`, "latin1");
  if (rest === null) {
    answer.pipe(socket);
    return status;
  }
  if (head.length > 0) stream.write(head);
  if (rest.length > 0) socket.write(rest);
  stream.pipe(socket).pipe(stream);
  return status;
}
