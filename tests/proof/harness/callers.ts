import { Api } from "../../acceptance/harness/api.ts";
import type { Berth } from "../../acceptance/harness/berth.ts";

/** Whose an object is, as seen by the user of the organization `acme` who asks most of the questions. */
export const standings = ["own", "shared", "foreign", "absent"] as const;
export type Standing = (typeof standings)[number];

export interface Caller {
  name: string;
  /** Makes the caller for an operation; most are the same for all. */
  api(scope: string | null): Promise<Api>;
  /** What it gets to: a status of success or refusal for each kind of object. */
  gets: Record<Standing, "reached" | 401 | 403 | 404>;
  /** It has a valid token and every scope, so that what names no object is open to it. */
  valid: boolean;
}

const invalid = { own: 401, shared: 401, foreign: 401, absent: 401 } as const;

export interface Cast {
  owner: Api;
  admin: Api;
  serviceAccount: Api;
  stranger: Api;
  callers: Caller[];
}

/** Everybody who might call, each with what the rules let them get to. */
export async function cast(berth: Berth): Promise<Cast> {
  const org = "acme";
  const owner = await berth.client({ org, user: "owner@example.com" });
  const member = await berth.client({ org, user: "member@example.com" });
  const admin = await berth.client({ org, user: "admin@example.com", role: "admin" });
  const serviceAccount = await berth.client({ org, user: "owner@example.com", kind: "sat" });
  const stranger = await berth.client({ org: "other", user: "stranger@example.com" });
  const scopes = await everyScope(berth.url);
  const expired = await expiredToken(berth, org);
  const revoked = await revokedToken(owner);
  const leaver = await berth.client({ org, user: "leaver@example.com", role: "admin" });
  await berth.command("admin", "users", "disable", "leaver@example.com");
  const valid = owner.token ?? "";
  const as = (name: string, api: Api, gets: Caller["gets"]): Caller => ({
    name,
    api: async () => api,
    gets,
    valid: gets !== invalid,
  });
  const sent = (authorization: Record<string, string>) => new HeaderApi(berth.url, authorization);
  return {
    owner,
    admin,
    serviceAccount,
    stranger,
    callers: [
      as("the owner", owner, { own: "reached", shared: "reached", foreign: 403, absent: 404 }),
      as("another member", member, { own: 403, shared: "reached", foreign: 403, absent: 404 }),
      as("an admin", admin, { own: "reached", shared: "reached", foreign: 403, absent: 404 }),
      as("a service account", serviceAccount, { own: 403, shared: "reached", foreign: 403, absent: 404 }),
      as("another organization", stranger, { own: 403, shared: 403, foreign: "reached", absent: 404 }),
      {
        name: "every scope but the one that is needed",
        api: withoutScope(owner, scopes),
        gets: { own: 403, shared: 403, foreign: 403, absent: 403 },
        valid: false,
      },
      as("an expired token", expired, invalid),
      as("a revoked token", revoked, invalid),
      as("a disabled user", leaver, invalid),
      as(
        "a token with a wrong checksum",
        new Api(berth.url, `${valid.slice(0, -1)}${valid.endsWith("0") ? 1 : 0}`),
        invalid,
      ),
      as("x-api-key", sent({ "x-api-key": valid }), invalid),
      as("no token", new Api(berth.url, null), invalid),
      as("another scheme", sent({ authorization: `Basic ${btoa(`owner:${valid}`)}` }), invalid),
    ],
  };
}

/** Calls with other headers than a bearer token. */
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
  return [...new Set([...text.matchAll(/"x-scope":"([^"]+)"/g)].map(([, scope = ""]) => scope))];
}

/** Tokens that have all scopes but one, each made once. */
function withoutScope(owner: Api, scopes: readonly string[]): (scope: string | null) => Promise<Api> {
  const made = new Map<string, Promise<Api>>();
  return (scope) => {
    const missing = scope ?? "";
    const known = made.get(missing);
    if (known !== undefined) return known;
    const left = scopes.filter((name) => name !== missing);
    const token = owner.ok("POST", "/tokens", { name: `all but ${missing}`, scopes: left });
    const api = token.then((answer) => new Api(owner.url, answer.token));
    made.set(missing, api);
    return api;
  };
}

/** Asks until it is refused, which it is a second after it was made. */
async function expiredToken(berth: Berth, org: string): Promise<Api> {
  const api = await berth.client({ org, expiresIn: 1 });
  for (let tries = 0; tries < 10_000; tries += 1) {
    const { status } = await api.get("/agents");
    if (status === 401) return api;
  }
  throw new Error("A token did not expire.");
}

async function revokedToken(owner: Api): Promise<Api> {
  const { id, token } = await owner.ok("POST", "/tokens", { name: "revoked" });
  await owner.ok("DELETE", `/tokens/${id}`);
  return new Api(owner.url, token);
}
