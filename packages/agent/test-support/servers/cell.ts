import type { ModelUsage } from "@berth/contract";
import type { ProviderKind } from "../../src/models/ai-sdk/provider.ts";
import type { FinishReason, ModelErrorKind } from "../../src/models/model.ts";
import type { RawAnswer } from "../models/raw-server.ts";

/** What model servers differ in. */
export const COLUMNS = {
  errors: "Error bodies",
  overflow: "Too many tokens",
  finish: "Ends of a response",
  reasoning: "Reasoning",
  tools: "Tool calls",
  usage: "Usage",
  done: "After the end",
  retry: "When to try again",
} as const;

export type Column = keyof typeof COLUMNS;

/** A model server, by what is known of it. */
export interface Server {
  name: string;
  /** The kind of a provider as which it is set up. */
  kind: ProviderKind;
  cells: Readonly<Record<Column, Cell>>;
}

export type Cell =
  | {
      /** For the guide, in a few words. */
      shows: string;
      /** Where it was read: a file of a repository, an issue in which somebody pasted it, a package. */
      source: string;
      /** The version of the source, or the day of the issue. */
      version: string;
      plays: readonly Play[];
    }
  /** Nobody here could find out; where it was looked for. */
  | { notKnown: string };

/** An answer of the server, and what becomes of it. */
export interface Play {
  answer: RawAnswer;
  expect: Expected;
}

/** Only what is given is compared. */
export interface Expected {
  text?: string;
  thinking?: string;
  calls?: readonly Record<string, unknown>[];
  reason?: FinishReason;
  usage?: Partial<ModelUsage>;
  error?: {
    kind: ModelErrorKind;
    retryable?: boolean;
    /** A part of the message. */
    says?: string;
    retryAfterMs?: number | null;
    limit?: number | null;
    requested?: number | null;
  };
  /** A part of the next request's body, as JSON, in which the response is sent back. */
  sentBack?: string;
}

export function known(shows: string, source: string, version: string, ...plays: Play[]): Cell {
  return { shows, source, version, plays };
}

/** An answer with an error status. */
export function refuses(
  status: number,
  body: string | object,
  error: NonNullable<Expected["error"]>,
  headers: Record<string, string> = {},
): Play {
  return { answer: { status, body, headers }, expect: { error } };
}

/** A request that does not fit. */
export function overflows(
  status: number,
  body: string | object,
  limit: number | null,
  requested: number | null,
): Play {
  return refuses(status, body, { kind: "context_overflow", retryable: false, limit, requested });
}

/** A rate limit that says when to try again. */
export function waits(
  retryAfterMs: number | null,
  body: string | object,
  headers: Record<string, string> = {},
  status = 429,
): Play {
  const kind = status === 429 ? "rate_limited" : "overloaded";
  return refuses(status, body, { kind, retryable: true, retryAfterMs }, headers);
}

export function streams(body: string, expect: Expected): Play {
  return { answer: { body }, expect };
}
