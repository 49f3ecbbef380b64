import { BETA_FEATURES, BETA_HEADER } from "../conventions/beta.ts";
import type { Operation } from "../operations/operation.ts";

type Json = Record<string, unknown>;

/** Returns whether an `Idempotency-Key` makes a retry the same request. A key belongs to a token. */
export function takesKey({ method, credential }: Pick<Operation, "method" | "credential">): boolean {
  return (method === "POST" || method === "DELETE") && credential !== "none";
}

/** Returns the request headers of an operation, as OpenAPI parameters. */
export function headerParameters(operation: Operation): Json[] {
  const { body, dryRun, features = [] } = operation;
  const identifiers = features.map((feature) => BETA_FEATURES[feature]);
  return [
    ...(takesKey(operation) ? [IDEMPOTENCY_KEY] : []),
    ...(dryRun ? [DRY_RUN] : []),
    ...(body === "bytes" ? [CONTENT_RANGE] : []),
    ...(identifiers.length === 0 ? [] : [betaParameter(identifiers)]),
  ];
}

/** Returns the headers of an operation's response. */
export function responseHeaders({ body, confidential }: Operation): Json {
  const headers = {
    ...(body === "bytes" ? { range: STORED_RANGE } : {}),
    ...(confidential === true ? { "cache-control": NOT_STORED } : {}),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes a retry safe. For 24 hours, the same request with the same key and token returns the first response; another request with the same key and token is rejected with 409. A 401, 403, 429 or 5xx is not kept.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
};

const DRY_RUN: Json = {
  name: "berth-dry-run",
  in: "header",
  required: false,
  description:
    "Checks the request and returns the response that it would have, but changes nothing. The `id` of a created object is not kept.",
  schema: { type: "string", pattern: "^true$" },
};

const CONTENT_RANGE: Json = {
  name: "content-range",
  in: "header",
  required: false,
  description:
    "Which part of the content the body is: `bytes 0-99/1000`, with `*` for a total that is not known yet. `bytes */1000` or `bytes */*` without a body asks how much is stored. Without this header, the body is the whole content.",
  schema: { type: "string", pattern: "^bytes (\\*|[0-9]+-[0-9]+)/(\\*|[0-9]+)$" },
};

const NOT_STORED: Json = {
  description: "`no-store`: the response may hold secrets.",
  schema: { type: "string", const: "no-store" },
};

const STORED_RANGE: Json = {
  description: "`bytes=0-N`, the part of the content that is stored. Absent if nothing is stored yet.",
  schema: { type: "string" },
};

function betaParameter(identifiers: readonly string[]): Json {
  return {
    name: BETA_HEADER,
    in: "header",
    required: false,
    description: `Beta features to activate, separated by commas: ${identifiers.join(", ")}. Unknown identifiers are ignored.`,
    schema: { type: "string" },
  };
}
