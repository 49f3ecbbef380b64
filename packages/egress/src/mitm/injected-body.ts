import type { ClientRequest, IncomingMessage } from "node:http";
import type { BodyBudget } from "./body-budget.ts";
import { textEncoding } from "./body-encoding.ts";
import { inject } from "./inject.ts";
import type { ProxiedCredential } from "./proxied-credential.ts";

/** Maximum length in bytes of a body that is changed. */
const MAX_INJECTED_BODY = 256 * 1024;

/** A request body to send upstream. `length` is its number of bytes, or how it is framed otherwise. */
export interface InjectedBody {
  length: number | "chunked" | "none";
  sendTo(upstream: ClientRequest): void;
}

/**
 * Returns the body of a request with credentials injected if it is short text; any other body is streamed
 * unchanged. Rejects when the client disconnects before the end of a short body.
 */
export async function injectInBody(
  request: IncomingMessage,
  credentials: readonly ProxiedCredential[],
  budget: BodyBudget,
): Promise<InjectedBody> {
  const { headers } = request;
  const chunked = headers["transfer-encoding"] !== undefined;
  const length = chunked ? ("chunked" as const) : Number(headers["content-length"]) || emptyLength(request);
  const encoding = textEncoding(headers["content-type"]);
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
  const isShort = length === "chunked" || (typeof length === "number" && length <= MAX_INJECTED_BODY);
  if (encoding === null || !isPlain || !isShort || length === 0 || credentials.length === 0) {
    if (length === 0 || length === "none") return { length, sendTo: (upstream) => upstream.end() };
    return { length, sendTo: (upstream) => stream(request, [], upstream) };
  }
  const expected = length === "chunked" ? MAX_INJECTED_BODY : length;
  budget.take(expected);
  const { chunks, ended } = await readShort(request);
  if (!ended) return { length, sendTo: (upstream) => stream(request, chunks, upstream) };
  const text = Buffer.concat(chunks).toString("latin1");
  const injected = Buffer.from(inject(text, credentials, encoding), "latin1");
  budget.take(Math.max(0, injected.length - expected));
  return { length: injected.length, sendTo: (upstream) => upstream.end(injected) };
}

/** Returns the length of an absent body. Some servers require `Content-Length: 0` with these methods. */
function emptyLength({ headers, method = "" }: IncomingMessage): 0 | "none" {
  return headers["content-length"] !== undefined || /^(?:POST|PUT|PATCH)$/.test(method) ? 0 : "none";
}

function stream(request: IncomingMessage, begun: readonly Buffer[], upstream: ClientRequest): void {
  for (const chunk of begun) upstream.write(chunk);
  request.pipe(upstream);
}

/** Reads until the body ends or exceeds the maximum length. */
async function readShort(request: IncomingMessage): Promise<{ chunks: Buffer[]; ended: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_INJECTED_BODY) return { chunks, ended: false };
  }
  return { chunks, ended: true };
}
