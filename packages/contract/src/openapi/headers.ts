import { BETA_FEATURES, BETA_HEADER } from "../conventions/beta.ts";
import type { Operation } from "../operations/operation.ts";

type Json = Record<string, unknown>;

/** The headers of an operation that are its own, as parameters. */
export function headerParameters({ method, body, features = [] }: Operation): Json[] {
  const identifiers = features.map((feature) => BETA_FEATURES[feature]);
  return [
    ...(method === "POST" || method === "DELETE" ? [idempotencyKey] : []),
    ...(body === "bytes" ? [contentRange] : []),
    ...(identifiers.length === 0 ? [] : [betaParameter(identifiers)]),
  ];
}

/** The headers of an operation's answer that are its own. */
export function responseHeaders({ body }: Operation): Json {
  return body === "bytes" ? { headers: { range: rangeSoFar } } : {};
}

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "The same key with the same request answers what the first answered, for 24 hours; with another request it is refused with 409.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
};

const contentRange: Json = {
  name: "content-range",
  in: "header",
  required: false,
  description:
    "`bytes 0-99/1000` tells which part of the content the body is, of how much: `*` while that is not known. `bytes */1000` or `bytes */*` without a body asks how much has arrived. Without the header the body is the whole content.",
  schema: { type: "string", pattern: "^bytes (\\*|[0-9]+-[0-9]+)/(\\*|[0-9]+)$" },
};

const rangeSoFar: Json = {
  description: "`bytes=0-N`: what has arrived to stay. Absent when nothing has.",
  schema: { type: "string" },
};

function betaParameter(identifiers: readonly string[]): Json {
  return {
    name: BETA_HEADER,
    in: "header",
    required: false,
    description: `Activates features, with commas between: ${identifiers.join(", ")}. What nobody knows is ignored.`,
    schema: { type: "string" },
  };
}
