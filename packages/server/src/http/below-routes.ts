import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type Duplex, finished } from "node:stream";
import type { ApiError } from "./api-error.ts";
import { errors } from "./errors.ts";
import { renderError } from "./render-error.ts";
import { requestIdOf } from "./request-id.ts";

/** Gives the envelope also to what the framework never sees: bytes that are no request, and refusals of the parser. */
export function answerBelowRoutes(server: Server): void {
  server.removeAllListeners("clientError");
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    answerSocket(socket, faultOf(error.code)),
  );
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    answerSocket(socket, errors.unknownPath("CONNECT", request.url ?? ""));
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const refusal = errors.invalid("The header 'Expect' asks for what is not done here.");
    const { status, headers, body } = renderError(refusal, requestIdOf(request.headers));
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, connection: "close", "content-length": length }).end(body);
  });
}

function faultOf(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") return errors.invalid("The headers of the request are too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return errors.invalid("The request came too slowly.");
  return errors.invalid("The request is not valid HTTP.");
}

/** Written at once and by hand, since there is no response to write to. A connection that is gone gets nothing. */
function answerSocket(socket: Duplex, refusal: ApiError): void {
  const answering = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (!socket.writable || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = renderError(refusal, requestIdOf({}));
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
