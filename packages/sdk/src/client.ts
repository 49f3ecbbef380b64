import { type Admin, admin } from "./resources/admin.ts";
import { type Files, files } from "./resources/files.ts";
import type { Methods } from "./resources/methods.ts";
import { resource } from "./resources/resource.ts";
import { type Sessions, sessions } from "./resources/sessions.ts";
import { type Skills, skills } from "./resources/skills.ts";
import { type ApiPromise, apiPromise } from "./transport/api-promise.ts";
import type { Call, ClientOptions } from "./transport/options.ts";
import { type PagedList, pagedList } from "./transport/page.ts";
import { Transport } from "./transport/transport.ts";

/** A client of one Berth installation with one token. */
export class Berth {
  readonly agents: Methods["agents"];
  readonly models: Methods["models"];
  readonly runtimes: Methods["runtimes"];
  readonly environments: Methods["environments"];
  readonly sessions: Sessions;
  readonly files: Files;
  readonly skills: Skills;
  readonly vaults: Methods["vaults"] & { readonly credentials: Methods["vaultCredentials"] };
  readonly connections: Methods["connections"];
  readonly webhooks: Methods["webhooks"];
  readonly deployments: Methods["deployments"] & {
    /** What makes a deployment run when something happens elsewhere. */
    readonly triggers: Methods["deploymentTriggers"];
  };
  readonly deploymentRuns: Methods["deploymentRuns"];
  readonly memoryStores: Methods["memoryStores"] & {
    readonly memories: Methods["memories"];
    readonly versions: Methods["memoryVersions"];
  };
  /** The registry of a user's resources. Accepts only personal access tokens. */
  readonly forward: Methods["forward"];
  readonly usage: Methods["usage"];
  readonly health: Methods["health"];
  readonly tokens: Methods["tokens"];
  readonly whoami: Methods["whoami"];
  readonly principals: Methods["principals"];
  /** Logins of devices without a token, which a user approves elsewhere. */
  readonly deviceAuthorizations: Methods["deviceAuthorizations"];
  readonly deviceTokens: Methods["deviceTokens"];
  readonly consoleLinks: Methods["consoleLinks"];
  readonly admin: Admin;

  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.agents = resource(transport, "agents");
    this.models = resource(transport, "models");
    this.runtimes = resource(transport, "runtimes");
    this.environments = resource(transport, "environments");
    this.sessions = sessions(transport);
    this.files = files(transport);
    this.skills = skills(transport);
    this.vaults = {
      ...resource(transport, "vaults"),
      credentials: resource(transport, "vaultCredentials"),
    };
    this.connections = resource(transport, "connections");
    this.webhooks = resource(transport, "webhooks");
    this.deployments = {
      ...resource(transport, "deployments"),
      triggers: resource(transport, "deploymentTriggers"),
    };
    this.deploymentRuns = resource(transport, "deploymentRuns");
    this.memoryStores = {
      ...resource(transport, "memoryStores"),
      memories: resource(transport, "memories"),
      versions: resource(transport, "memoryVersions"),
    };
    this.forward = resource(transport, "forward");
    this.usage = resource(transport, "usage");
    this.health = resource(transport, "health");
    this.tokens = resource(transport, "tokens");
    this.whoami = resource(transport, "whoami");
    this.principals = resource(transport, "principals");
    this.deviceAuthorizations = resource(transport, "deviceAuthorizations");
    this.deviceTokens = resource(transport, "deviceTokens");
    this.consoleLinks = resource(transport, "consoleLinks");
    this.admin = admin(transport);
  }

  /** Calls an operation of `operations`, or one that the caller describes, without its method's types. */
  call<T>(call: Call): ApiPromise<T> {
    return apiPromise(this.#transport.json<T>(call));
  }

  /** Like `call`, for an operation that returns a list. */
  pages<T>(call: Call): PagedList<T> {
    return pagedList<T>(this.#transport, call);
  }

  /** Like `call`, for an operation that returns bytes. The body of the response is unread. */
  open(call: Call): Promise<Response> {
    return this.#transport.open(call, "*/*");
  }
}
