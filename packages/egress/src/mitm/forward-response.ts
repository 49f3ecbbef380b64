import type { IncomingMessage, OutgoingHttpHeader } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { decoderFor, textEncoding } from "./body-encoding.ts";
import { endToEndHeaders } from "./end-to-end-headers.ts";
import type { MitmRequest } from "./mitm-connection.ts";
import type { ProxiedCredential } from "./proxied-credential.ts";
import { createRedactor, type Redactor } from "./redact.ts";

/** The streams that a body is piped through, and the headers that no longer match it afterwards. */
interface Transformation {
  steps: Duplex[];
  staleHeaders: string[];
}

const NONE: Transformation = { steps: [], staleHeaders: [] };

/**
 * Forwards a response to the client with the values of the host's credentials redacted in headers and body.
 * Encoded bodies are decoded; decoded bodies and text are sent in chunks. Any other body keeps its length. A
 * body in an unknown encoding passes unchanged; requests do not accept such encodings.
 */
export function forwardResponse(
  { request, response }: MitmRequest,
  upstream: IncomingMessage,
  credentials: readonly ProxiedCredential[],
): void {
  const redactor = createRedactor(credentials);
  const { steps, staleHeaders } = hasBody(request, upstream) ? transformation(upstream, redactor) : NONE;
  const headers = endToEndHeaders(upstream.rawHeaders, staleHeaders).flatMap(
    ([name, values]): OutgoingHttpHeader[] => values.flatMap((value) => [name, redactor.text(value)]),
  );
  response.writeHead(upstream.statusCode ?? 502, redactor.text(upstream.statusMessage ?? ""), headers);
  pipeline([upstream, ...steps, response], () => {});
}

function hasBody({ method }: IncomingMessage, { statusCode }: IncomingMessage): boolean {
  return method !== "HEAD" && statusCode !== 204 && statusCode !== 304;
}

function transformation({ headers }: IncomingMessage, redactor: Redactor): Transformation {
  const encoding = headers["content-encoding"]?.toLowerCase() || "identity";
  if (encoding !== "identity") {
    const decoder = decoderFor(encoding);
    if (decoder === null) return NONE;
    return { steps: [decoder, redactor.stream()], staleHeaders: ["content-length", "content-encoding"] };
  }
  const type = headers["content-type"];
  if (type !== undefined && textEncoding(type) === null) {
    return { steps: [redactor.streamOfSameLength()], staleHeaders: [] };
  }
  return { steps: [redactor.stream()], staleHeaders: ["content-length"] };
}
