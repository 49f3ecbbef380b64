import type { Operation } from "@berth/contract";
import type { Operator, Principal } from "@berth/store/access";
import type { AuditEntry } from "@berth/store/audit";
import type { DatabaseAccess } from "@berth/store/db";
import type { Cursors } from "./cursor.ts";

/** Who makes a request with a token. */
export type Caller = Principal | Operator;

/** What a handler knows of the request, beside its input. It knows nothing of HTTP. */
export interface RequestScope<Who extends Caller = Principal> {
  operation: Operation;
  principal: Who;
  /** With an `Idempotency-Key`, one transaction in which the response is stored too. */
  db: DatabaseAccess;
  /**
   * Calls `then` once the request's changes are committed, and not when it failed: for hints to others, and for what cannot
   * be undone. The response waits for `then`, and a failure of it is only logged.
   */
  afterCommit(then: (db: DatabaseAccess) => unknown): void;
  /**
   * What the audit log is to say of the request; of that of an operator, without what it is about.
   *
   * @param created the id that the response begins with.
   */
  auditEntry(created?: string): AuditEntry;
  requestId: string;
  /** Of the request's span, for what it causes; null while nothing is traced. */
  traceparent: string | null;
  /** The address of the client. */
  client: string;
  /** The address of the service for links: `https://berth.example.com`. Null: the request is for a host that nobody vouches for. */
  address(): string | null;
  cursors: Cursors;
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined;
}

/** What the handler of an operation that needs no token knows of the request. Nothing is committed for it. */
export interface OpenScope extends Pick<RequestScope, "operation" | "db" | "requestId" | "client"> {
  /** The first product of the client's `User-Agent`. */
  userAgent: string | null;
  /** The address by which the client found the service: `https://berth.example.com`. */
  origin: string;
}
