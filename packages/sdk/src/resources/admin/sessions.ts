import type { ReleasedSession } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../../transport/api-promise.ts";
import type { CallOptions } from "../../transport/options.ts";
import { Resource } from "../resource.ts";

const { adminSessions } = operations;

export class AdminSessions extends Resource {
  /** Lets turns of a session that was set aside run again, whoever owns it. */
  release(session_id: string, options?: CallOptions): ApiPromise<ReleasedSession> {
    return this.request({ operation: adminSessions.release, params: { session_id }, ...options });
  }
}
