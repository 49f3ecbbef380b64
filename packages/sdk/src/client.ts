import { Admin } from "./resources/admin/admin.ts";
import { Agents } from "./resources/agents.ts";
import { ConsoleLinks } from "./resources/console-links.ts";
import { DeviceAuthorizations } from "./resources/device-authorizations.ts";
import { DeviceTokens } from "./resources/device-tokens.ts";
import { Environments } from "./resources/environments.ts";
import { Files } from "./resources/files.ts";
import { Forward } from "./resources/forward.ts";
import { Health } from "./resources/health.ts";
import { MemoryStores } from "./resources/memory-stores.ts";
import { Models } from "./resources/models.ts";
import { Principals } from "./resources/principals.ts";
import { Sessions } from "./resources/sessions.ts";
import { Skills } from "./resources/skills.ts";
import { Tokens } from "./resources/tokens.ts";
import { Usage } from "./resources/usage.ts";
import { Vaults } from "./resources/vaults.ts";
import { Whoami } from "./resources/whoami.ts";
import { type ApiPromise, apiPromise } from "./transport/api-promise.ts";
import type { Call, ClientOptions } from "./transport/options.ts";
import { type PagedList, pagedList } from "./transport/page.ts";
import { Transport } from "./transport/transport.ts";

/** A client of one Berth installation with one token. */
export class Berth {
  readonly agents: Agents;
  readonly models: Models;
  readonly environments: Environments;
  readonly sessions: Sessions;
  readonly files: Files;
  readonly skills: Skills;
  readonly vaults: Vaults;
  readonly memoryStores: MemoryStores;
  readonly forward: Forward;
  readonly usage: Usage;
  readonly health: Health;
  readonly tokens: Tokens;
  readonly whoami: Whoami;
  readonly principals: Principals;
  readonly deviceAuthorizations: DeviceAuthorizations;
  readonly deviceTokens: DeviceTokens;
  readonly consoleLinks: ConsoleLinks;
  readonly admin: Admin;

  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.agents = new Agents(transport);
    this.models = new Models(transport);
    this.environments = new Environments(transport);
    this.sessions = new Sessions(transport);
    this.files = new Files(transport);
    this.skills = new Skills(transport);
    this.vaults = new Vaults(transport);
    this.memoryStores = new MemoryStores(transport);
    this.forward = new Forward(transport);
    this.usage = new Usage(transport);
    this.health = new Health(transport);
    this.tokens = new Tokens(transport);
    this.whoami = new Whoami(transport);
    this.principals = new Principals(transport);
    this.deviceAuthorizations = new DeviceAuthorizations(transport);
    this.deviceTokens = new DeviceTokens(transport);
    this.consoleLinks = new ConsoleLinks(transport);
    this.admin = new Admin(transport);
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
