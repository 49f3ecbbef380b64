import type { IncomingMessage, OutgoingHttpHeader } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import type { SandboxCredential } from "../policy/types.ts";
import { textEncoding } from "./body-kind.ts";
import { decoderFor } from "./body-encoding.ts";
import type { Forwarding } from "./forwarding.ts";
import { endToEndHeaders } from "./end-to-end-headers.ts";
import { type TakeOut, takeOut } from "./redact.ts";

/** What a body goes through, and the headers that no longer hold for it. */
interface Changes {
  steps: Duplex[];
  changed: string[];
}

/**
 * Gives an answer to the client without the values of the host's credentials: in its headers, and in a body, which is decoded for
 * that. Text, and what was decoded, is sent in chunks. Any other body keeps its length: there a value becomes a placeholder and
 * asterisks. A body in an encoding that is not known passes as it is; requests ask for none.
 */
export function answerClient(
  { request, response }: Forwarding,
  answer: IncomingMessage,
  credentials: readonly SandboxCredential[],
): void {
  const taken = takeOut(credentials);
  const { steps, changed } = hasBody(request, answer) ? changesOf(answer, taken) : none;
  const headers = endToEndHeaders(answer.rawHeaders, changed).flatMap(
    ([name, values]): OutgoingHttpHeader[] => values.flatMap((value) => [name, taken.text(value)]),
  );
  response.writeHead(answer.statusCode ?? 502, taken.text(answer.statusMessage ?? ""), headers);
  pipeline([answer, ...steps, response], () => {});
}

const none: Changes = { steps: [], changed: [] };

function hasBody({ method }: IncomingMessage, { statusCode }: IncomingMessage): boolean {
  return method !== "HEAD" && statusCode !== 204 && statusCode !== 304;
}

function changesOf({ headers }: IncomingMessage, taken: TakeOut): Changes {
  const encoding = headers["content-encoding"]?.toLowerCase() || "identity";
  if (encoding !== "identity") {
    const decoder = decoderFor(encoding);
    if (decoder === null) return none;
    return { steps: [decoder, taken.stream()], changed: ["content-length", "content-encoding"] };
  }
  const type = headers["content-type"];
  if (type !== undefined && textEncoding(type) === null) {
    return { steps: [taken.streamOfSameLength()], changed: [] };
  }
  return { steps: [taken.stream()], changed: ["content-length"] };
}
