import type { Operation } from "./route.ts";

const cloud = "/api/v1/cloud";

/** `base` stands before the path in place of the cloud's. */
type Extra = Partial<
  Pick<
    Operation,
    "scope" | "answers" | "whole" | "body" | "conflicts" | "features" | "credential" | "created"
  >
> & { base?: string };

/** Reads: the scope is `<noun>:read`. */
export function get(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("GET", id, path, summary, "read", extra);
}

/** Creates, changes or does something: the scope is `<noun>:write`. */
export function post(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("POST", id, path, summary, "write", { body: "json", ...extra });
}

/** Sends the bytes of something: the scope is `<noun>:write`. */
export function put(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("PUT", id, path, summary, "write", { body: "bytes", ...extra });
}

/** Deletes: the scope is `<noun>:write`. */
export function remove(id: string, path: string, summary: string, extra: Extra = {}): Operation {
  return operation("DELETE", id, path, summary, "write", extra);
}

function operation(
  method: Operation["method"],
  id: string,
  path: string,
  summary: string,
  right: string,
  { base = cloud, ...extra }: Extra,
): Operation {
  const noun = path.split("/")[1] ?? "";
  return {
    id,
    method,
    path: base + path,
    summary,
    scope: `${noun}:${right}`,
    answers: "object",
    body: "none",
    conflicts: [],
    ...extra,
  };
}

/** Of what needs a session that goes on. */
export const terminated = {
  status: 409,
  type: "conflict_error",
  when: "The session is terminated.",
} as const;
