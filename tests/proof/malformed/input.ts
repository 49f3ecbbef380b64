import type { Body } from "../../acceptance/harness/api.ts";

/** A malformed request and its expected error. */
export interface Input {
  name: string;
  method?: "GET" | "POST" | "DELETE" | "PUT" | "PATCH";
  /** Below `/api/v1/cloud`, unless it starts with `//`. */
  path: string;
  headers?: Record<string, string>;
  /** Sent without encoding, except that an object is sent as JSON. */
  body?: Body | Record<string, unknown>;
  /** Default 400. */
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

/** The body of an agent with these fields changed. */
export function agentWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { name: "a", model: "rehearsal/steps", ...fields };
}

/** The body of a session with these fields changed. */
export function sessionWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { agent: PLACEHOLDER_IDS.agent, environment_id: PLACEHOLDER_IDS.environment, ...fields };
}
