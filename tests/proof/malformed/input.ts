import type { Body } from "../../acceptance/harness/api.ts";

/** A request that nobody should send, and the refusal that it gets. */
export interface Input {
  name: string;
  method?: "GET" | "POST" | "DELETE" | "PUT" | "PATCH";
  /** Below the cloud's API, unless it begins with a slash twice. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as it is; an object is sent as JSON. */
  body?: Body | Record<string, unknown>;
  /** Default 400. */
  status?: 200 | 400 | 401 | 403 | 404;
  /** What `error.param` must be. */
  param?: string;
}

/** Names that stand for objects of the world; the runner puts their ids in place. */
export const world = { agent: "<agent>", environment: "<environment>", session: "<session>", file: "<file>" };

/** An agent's body with one field laid over. */
export function agentWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { name: "a", model: "rehearsal/steps", ...fields };
}

/** A session's body with fields laid over. */
export function sessionWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { agent: world.agent, environment_id: world.environment, ...fields };
}
