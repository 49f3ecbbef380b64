import { Api } from "../../acceptance/harness/api.ts";
import type { Berth } from "../../acceptance/harness/berth.ts";

/** The owner of an object, from the view of a user of the organization `acme`. */
export const OWNERSHIPS = ["own", "shared", "foreign", "absent"] as const;
export type Ownership = (typeof OWNERSHIPS)[number];

export interface Caller {
  name: string;
  /** Returns the client for an operation with this scope. Most callers have one client for all. */
  api(scope: string | null): Promise<Api>;
  /** The expected outcome for each kind of object. */
  expected: Record<Ownership, "allowed" | 401 | 403 | 404>;
  /** Whether the token is valid and has the scope, so that operations without objects are allowed. */
  valid: boolean;
}

const ALWAYS_401 = { own: 401, shared: 401, foreign: 401, absent: 401 } as const;

export interface Callers {
  owner: Api;
  admin: Api;
  serviceAccount: Api;
  stranger: Api;
  operator: Api;
  all: Caller[];
}

/** Creates every kind of caller, with its expected outcomes. */
export async function createCallers(berth: Berth): Promise<Callers> {
  const org = "acme";
  const owner = await berth.client({ org, user: "author@example.com" });
  const member = await berth.client({ org, user: "member@example.com" });
  const admin = await berth.client({ org, user: "admin@example.com", role: "admin" });
  const serviceAccount = await berth.client({ org, user: "author@example.com", kind: "sat" });
  const stranger = await berth.client({ org: "other", user: "stranger@example.com" });
  const scopes = await everyScope(berth.url);
  const expired = await expiredToken(berth, org);
  const revoked = await revokedToken(owner);
  const leaver = await berth.client({ org, user: "leaver@example.com", role: "admin" });
  await berth.command("admin", "users", "disable", "leaver@example.com");
  const operator = await berth.operator();
  const valid = owner.token ?? "";
  const as = (name: string, api: Api, expected: Caller["expected"]): Caller => ({
    name,
    api: async () => api,
    expected,
    valid: expected !== ALWAYS_401,
  });
  const withHeaders = (authorization: Record<string, string>) => new HeaderApi(berth.url, authorization);
  return {
    owner,
    admin,
    serviceAccount,
    stranger,
    operator,
    all: [
      as("the owner", owner, { own: "allowed", shared: "allowed", foreign: 403, absent: 404 }),
      as("another member", member, { own: 403, shared: "allowed", foreign: 403, absent: 404 }),
      as("an admin", admin, { own: "allowed", shared: "allowed", foreign: 403, absent: 404 }),
      as("a service account", serviceAccount, { own: 403, shared: "allowed", foreign: 403, absent: 404 }),
      as("another organization", stranger, { own: 403, shared: 403, foreign: "allowed", absent: 404 }),
      {
        name: "every scope but the one that is needed",
        api: withoutScope(owner, scopes),
        expected: { own: 403, shared: 403, foreign: 403, absent: 403 },
        valid: false,
      },
      as("an expired token", expired, ALWAYS_401),
      as("a revoked token", revoked, ALWAYS_401),
      as("a disabled user", leaver, ALWAYS_401),
      as(
        "a token with a wrong checksum",
        new Api(berth.url, `${valid.slice(0, -1)}${valid.endsWith("0") ? 1 : 0}`),
        ALWAYS_401,
      ),
      as("x-api-key", withHeaders({ "x-api-key": valid }), ALWAYS_401),
      as("no token", new Api(berth.url, null), ALWAYS_401),
      as("another scheme", withHeaders({ authorization: `Basic ${btoa(`owner:${valid}`)}` }), ALWAYS_401),
    ],
  };
}

/** A client that sends other headers instead of a bearer token. */
class HeaderApi extends Api {
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    super(url, null);
    this.#headers = headers;
  }

  override headers(given: Record<string, string> = {}): Headers {
    return super.headers({ ...given, ...this.#headers });
  }
}

async function everyScope(url: string): Promise<string[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, never>;
  const text = JSON.stringify(document);
  const scopes = [...text.matchAll(/"x-scope":"([^"]+)"/g)].map(([, scope = ""]) => scope);
  return [...new Set(scopes)].filter((scope) => scope !== "operator");
}

/** Returns clients that lack one scope each; each token is created once. */
function withoutScope(owner: Api, scopes: readonly string[]): (scope: string | null) => Promise<Api> {
  const made = new Map<string, Promise<Api>>();
  return (scope) => {
    const missing = scope ?? "";
    const known = made.get(missing);
    if (known !== undefined) return known;
    const left = scopes.filter((name) => name !== missing);
    const token = owner.ok("POST", "/tokens", { name: `all but ${missing}`, scopes: left });
    const api = token.then((created) => new Api(owner.url, created.token));
    made.set(missing, api);
    return api;
  };
}

/** Returns a client whose token expires one second after its creation, once it has expired. */
async function expiredToken(berth: Berth, org: string): Promise<Api> {
  const api = await berth.client({ org, user: "author@example.com", expiresIn: 1 });
  for (let tries = 0; tries < 10_000; tries += 1) {
    const { status } = await api.get("/agents");
    if (status === 401) return api;
  }
  throw new Error("the token did not expire");
}

async function revokedToken(owner: Api): Promise<Api> {
  const { id, token } = await owner.ok("POST", "/tokens", { name: "revoked" });
  await owner.ok("DELETE", `/tokens/${id}`);
  return new Api(owner.url, token);
}
