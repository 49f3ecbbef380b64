import type { ResponseOf, routes } from "@berth/contract";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Transport } from "../transport/transport.ts";
import { type Changes, changes } from "./changes.ts";
import { type Events, events } from "./events.ts";
import type { Methods } from "./methods.ts";
import { resource } from "./resource.ts";

export type Sessions = Methods["sessions"] & {
  readonly events: Events;
  readonly resources: SessionResources;
  /** The current files in a session's sandbox, which is opened if it is closed. */
  readonly workspace: Methods["workspace"];
  /** Changes that an agent made to a session's repositories since they were cloned. */
  readonly changes: Changes;
  /** The pull requests of a session's branches, as their hosts say. */
  readonly pullRequests: Methods["pullRequests"];
  /** Addresses at which browsers open ports of a session's sandbox. */
  readonly previews: Methods["previews"];
  /** Rules by which calls of a session run without a confirmation. */
  readonly confirmationRules: Methods["confirmationRules"];
};

type SessionResources = Methods["sessionResources"] & {
  /** Retries the failed clone of a repository at once. */
  retry(
    session_id: string,
    resource_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<typeof routes.sessionResources.rotate>>;
};

/** Returns the methods of sessions, and of what belongs to one. */
export function sessions(transport: Transport): Sessions {
  const resources = resource(transport, "sessionResources");
  return {
    ...resource(transport, "sessions"),
    events: events(transport),
    resources: {
      ...resources,
      retry: (session_id, resource_id, options) =>
        resources.rotate(session_id, resource_id, { retry: true }, options),
    },
    workspace: resource(transport, "workspace"),
    changes: changes(transport),
    pullRequests: resource(transport, "pullRequests"),
    previews: resource(transport, "previews"),
    confirmationRules: resource(transport, "confirmationRules"),
  };
}
