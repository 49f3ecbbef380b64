import type { ClientRequest, IncomingMessage } from "node:http";
import type { SandboxCredential } from "../policy/types.ts";
import { textEncoding } from "./body-kind.ts";
import type { BodyRoom } from "./body-budget.ts";
import { putIn } from "./inject.ts";

/** Longer bodies pass as they are. */
export const longestFilledBody = 256 * 1024;

export interface RequestBody {
  length: number | "chunked" | "none";
  sendTo(upstream: ClientRequest): void;
}

/**
 * The body of a request, with the values of credentials in it where it is text that is short enough; any other one streams
 * through. Rejects when the client goes away in it.
 */
export async function bodyFor(
  request: IncomingMessage,
  credentials: readonly SandboxCredential[],
  room: BodyRoom,
): Promise<RequestBody> {
  const { headers } = request;
  const chunked = headers["transfer-encoding"] !== undefined;
  const length = chunked ? ("chunked" as const) : Number(headers["content-length"]) || bodyless(request);
  const encoding = textEncoding(headers["content-type"]);
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
  const isShort = length === "chunked" || (typeof length === "number" && length <= longestFilledBody);
  if (encoding === null || !isPlain || !isShort || length === 0 || credentials.length === 0) {
    if (length === 0 || length === "none") return { length, sendTo: (upstream) => upstream.end() };
    return { length, sendTo: (upstream) => stream(request, [], upstream) };
  }
  const awaited = length === "chunked" ? longestFilledBody : length;
  room.take(awaited);
  const { chunks, ended } = await readShort(request);
  if (!ended) return { length, sendTo: (upstream) => stream(request, chunks, upstream) };
  const text = Buffer.concat(chunks).toString("latin1");
  const filled = Buffer.from(putIn(text, credentials, encoding), "latin1");
  room.take(Math.max(0, filled.length - awaited));
  return { length: filled.length, sendTo: (upstream) => upstream.end(filled) };
}

/** Some servers want to be told that there is none. */
function bodyless({ headers, method = "" }: IncomingMessage): 0 | "none" {
  return headers["content-length"] !== undefined || /^(?:POST|PUT|PATCH)$/.test(method) ? 0 : "none";
}

function stream(request: IncomingMessage, begun: readonly Buffer[], upstream: ClientRequest): void {
  for (const chunk of begun) upstream.write(chunk);
  request.pipe(upstream);
}

/** What comes until the end, or until it is too long. */
async function readShort(request: IncomingMessage): Promise<{ chunks: Buffer[]; ended: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > longestFilledBody) return { chunks, ended: false };
  }
  return { chunks, ended: true };
}
