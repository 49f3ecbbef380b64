import type { Body } from "../../acceptance/harness/api.ts";

/** A malformed request and its expected error. */
export interface Input {
  name: string;
  method?: "GET" | "POST" | "DELETE" | "PUT" | "PATCH";
  /** The path below `/api/v1/cloud`, unless it starts with `//`. */
  path: string;
  headers?: Record<string, string>;
  /** The body, sent without encoding; an object is sent as JSON. */
  body?: Body | Record<string, unknown>;
  /** The expected status; 400 by default. */
  status?: 200 | 400 | 401 | 403 | 404;
  /** The expected `error.param`. */
  param?: string;
}

/** Placeholders that the test replaces with ids. */
export const PLACEHOLDER_IDS = {
  agent: "<agent>",
  environment: "<environment>",
  session: "<session>",
  file: "<file>",
};

/** Returns the body of an agent with these fields changed. */
export function agentWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { name: "a", model: "rehearsal/steps", ...fields };
}

/** Returns the body of a session with these fields changed. */
export function sessionWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { agent: PLACEHOLDER_IDS.agent, environment_id: PLACEHOLDER_IDS.environment, ...fields };
}
