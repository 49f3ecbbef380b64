import type { Operation } from "@berth/contract";
import type { Administrator, Principal } from "@berth/store/access";
import type { AuditEntry } from "@berth/store/audit";
import type { DatabaseAccess } from "@berth/store/db";
import type { Cursors } from "./cursor.ts";

/** The principal or operator who makes a request with a token. */
export type Caller = Administrator;

/** A request as its handler sees it, besides the input. It contains nothing of HTTP. */
export interface RequestScope<Who extends Caller = Principal> {
  operation: Operation;
  principal: Who;
  /** Database. With an `Idempotency-Key`, one transaction that also stores the response. */
  db: DatabaseAccess;
  /**
   * Calls `then` once the request's changes are committed, and not when it failed: for notifications, and for
   * what cannot be undone. The response waits for `then`, whose failure is only logged.
   */
  afterCommit(then: (db: DatabaseAccess) => unknown): void;
  /**
   * Returns the request's audit entry. In administration, the handler adds what it is about.
   *
   * @param created id with which the response begins.
   */
  auditEntry(created?: string): AuditEntry;
  requestId: string;
  /** Trace context of the request's span, for what the request causes; null while tracing is off. */
  traceparent: string | null;
  /** Client's address. */
  client: string;
  /** Returns the base URL for links, such as `https://berth.example.com`; null for an untrusted host. */
  address(): string | null;
  cursors: Cursors;
  /** Returns the first value of a header, by its lower-case name. */
  header(name: string): string | undefined;
}

/** A request that needs no token, as its handler sees it. The handler commits its changes itself. */
export interface OpenScope extends Pick<RequestScope, "operation" | "db" | "requestId" | "client"> {
  /** First product of the client's `User-Agent`, or null. */
  userAgent: string | null;
  /** Origin at which the client connected, such as `https://berth.example.com`. */
  origin: string;
}
