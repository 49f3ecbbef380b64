import type { ModelUsage } from "@berth/contract";
import type { ProviderKind } from "../../src/models/ai-sdk/provider.ts";
import type { FinishReason, ModelErrorKind } from "../../src/models/model.ts";
import type { RawAnswer } from "../models/raw-server.ts";

/** The aspects in which model servers differ. */
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

/** The known behaviour of a model server. */
export interface Server {
  name: string;
  /** The kind of provider that it is configured as. */
  kind: ProviderKind;
  cells: Readonly<Record<Column, Cell>>;
}

export type Cell =
  | {
      /** A few words for the guide. */
      shows: string;
      /** The source: a file of a repository, an issue in which somebody pasted it, or a package. */
      source: string;
      /** The version of the source, or the day of the issue. */
      version: string;
      plays: readonly Play[];
    }
  /** The behaviour is unknown; the text says where it was looked for. */
  | { notKnown: string };

/** A response of the server, and the expected result. */
export interface Play {
  answer: RawAnswer;
  expect: Expected;
}

/** The expected result. Only the fields that are given are compared. */
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
  /** A part of the next request's body, as JSON, which sends the response back. */
  sentBack?: string;
}

/** Creates a cell for known behaviour, with the plays that prove it. */
export function known(shows: string, source: string, version: string, ...plays: Play[]): Cell {
  return { shows, source, version, plays };
}

/** Describes a response with an error status. */
export function refuses(
  status: number,
  body: string | object,
  error: NonNullable<Expected["error"]>,
  headers: Record<string, string> = {},
): Play {
  return { answer: { status, body, headers }, expect: { error } };
}

/** Describes the error for a request that does not fit. */
export function overflows(
  status: number,
  body: string | object,
  limit: number | null,
  requested: number | null,
): Play {
  return refuses(status, body, { kind: "context_overflow", retryable: false, limit, requested });
}

/** Describes a rate limit or overload that states when to retry; null when it states none. */
export function waits(
  retryAfterMs: number | null,
  body: string | object,
  headers: Record<string, string> = {},
  status = 429,
): Play {
  const kind = status === 429 ? "rate_limited" : "overloaded";
  return refuses(status, body, { kind, retryable: true, retryAfterMs }, headers);
}

/** Describes a response that is streamed. */
export function streams(body: string, expect: Expected): Play {
  return { answer: { body }, expect };
}
