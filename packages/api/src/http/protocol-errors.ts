import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream";
import { type ApiError, errors } from "@berth/store/errors";
import type { AccessLog } from "./access-log.ts";
import { type ClientAddresses, connectionAddress } from "./client-address.ts";
import { requestIdOf } from "./headers.ts";
import { renderError } from "./render-error.ts";

/** Sends the error envelope also for input that Fastify never sees, such as parser errors. */
export function respondToProtocolErrors(
  server: Server,
  access: Pick<AccessLog, "refused">,
  clients: ClientAddresses,
): void {
  server.removeAllListeners("clientError");
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    respondOnSocket(socket as Socket, parserError(error.code), access),
  );
  server.on("connect", (request: IncomingMessage, socket) => {
    respondOnSocket(socket as Socket, errors.unknownPath("CONNECT", request.url ?? ""), access);
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const error = errors.invalid("The value of the header 'Expect' is not supported.");
    const requestId = requestIdOf(request.headers);
    const { status, headers, body } = renderError(error, requestId);
    access.refused(requestId, error, clients.of(request));
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, connection: "close", "content-length": length }).end(body);
  });
}

function parserError(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") return errors.invalid("The headers of the request are too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return errors.invalid("The request was sent too slowly.");
  return errors.invalid("The request is not valid HTTP.");
}

/** Writes the response by hand, since Node has none. Closes a socket that has begun a response. */
function respondOnSocket(socket: Socket, error: ApiError, access: Pick<AccessLog, "refused">): void {
  const current = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (!socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  const requestId = requestIdOf({});
  const { status, headers, body } = renderError(error, requestId);
  access.refused(requestId, error, connectionAddress(socket));
  const lines = Object.entries({
    ...headers,
    connection: "close",
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  finished(socket, { readable: false }, () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${status === 404 ? "Not Found" : "Bad Request"}\r\n${lines.join("")}\r\n${body}`,
  );
}
