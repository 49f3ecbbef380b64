import type { IncomingMessage, OutgoingHttpHeader } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { SandboxCredential } from "../../sandbox.ts";
import { textEncoding } from "./body-kind.ts";
import type { Forwarding } from "./forward-request.ts";
import { endToEndHeaders } from "./headers.ts";
import { takeOut } from "./take-out.ts";

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Gives an answer to the client without the values of the host's credentials: in its headers, and in a body of text, which is
 * decoded for that and sent in chunks. Any other body passes as it is.
 */
export function answerClient(
  { request, response }: Forwarding,
  answer: IncomingMessage,
  credentials: readonly SandboxCredential[],
): void {
  const taken = takeOut(credentials);
  const steps = hasBody(request, answer) ? stepsFor(answer) : null;
  const changed = steps === null ? [] : ["content-length", "content-encoding"];
  const headers = endToEndHeaders(answer.rawHeaders, changed).flatMap(
    ([name, values]): OutgoingHttpHeader[] => values.flatMap((value) => [name, taken.text(value)]),
  );
  response.writeHead(answer.statusCode ?? 502, taken.text(answer.statusMessage ?? ""), headers);
  const through = steps === null ? [] : [...steps, taken.stream()];
  pipeline([answer, ...through, response], () => {});
}

function hasBody({ method }: IncomingMessage, { statusCode }: IncomingMessage): boolean {
  return method !== "HEAD" && statusCode !== 204 && statusCode !== 304;
}

/** What decodes the body; null where it is not text, or is encoded in a way that is not known. */
function stepsFor({ headers }: IncomingMessage): Duplex[] | null {
  const type = headers["content-type"];
  if (type !== undefined && textEncoding(type) === null) return null;
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return [];
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  return decoder === undefined ? null : [decoder()];
}
