import assert from "node:assert/strict";
import { type AnyJson, Api, type ApiResponse } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment } from "../acceptance/harness/fixtures.ts";
import type { NewToken } from "../acceptance/harness/issue-token.ts";

/**
 * The creators of sessions. The objects of a service account belong to the organization, so users see them
 * beside their own.
 */
const OWNERS: readonly NewToken[] = [
  {},
  { user: "second@example.com" },
  { kind: "sat", user: "robot@example.com" },
];
/**
 * Sessions that each owner creates in a burst. More than run at a time, so that most of them share a
 * statement.
 */
const PER_OWNER = 8;
const UNKNOWN_ENVIRONMENT = "env_01h00000000000000000000000";

interface Owner {
  token: string;
  agent: string;
  environment: string;
}

/** A request that every burst contains and the service rejects, with the expected error. */
interface Refused {
  token: string;
  body: { agent: string; environment_id: string };
  error: { status: number; type: string; message: string; param?: string };
}

/** Simultaneous requests of several owners that create sessions. Some of them are rejected. */
export class SessionBursts {
  readonly #owners: readonly Owner[];
  readonly #refused: readonly Refused[];
  /** The sessions in successful responses. */
  readonly #acknowledged: AnyJson[] = [];
  #unanswered = 0;

  private constructor(owners: readonly Owner[], refused: readonly Refused[]) {
    this.#owners = owners;
    this.#refused = refused;
  }

  static async prepare(berth: Berth): Promise<SessionBursts> {
    const owners: Owner[] = [];
    for (const options of OWNERS) {
      const api = await berth.client(options);
      const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
      owners.push({ token: `${api.token}`, agent: agent.id, environment: environment.id });
    }
    return new SessionBursts(owners, await refusedRequests(berth.url, owners));
  }

  /** Sends a burst, and returns why some requests had no response: the service or its database was down. */
  async run(url: string, name: string): Promise<string[]> {
    const made = this.#owners.flatMap(({ token, agent, environment }, owner) =>
      Array.from({ length: PER_OWNER }, async (_, place) => {
        const body = sessionBody(`${name}-${owner}-${place}`, agent, environment);
        const answer = await answerTo(url, token, body);
        if (typeof answer === "string") return answer;
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal(answer.body.title, body.title);
        this.#acknowledged.push(answer.body);
        return null;
      }),
    );
    const refused = this.#refused.map(async ({ token, body, error }) => {
      const title = `${name}-refused`;
      const answer = await answerTo(url, token, sessionBody(title, body.agent, body.environment_id));
      if (typeof answer === "string") return answer;
      assert.deepEqual({ status: answer.status, ...answer.body.error }, error, title);
      return null;
    });
    const unanswered = (await Promise.all([...made, ...refused])).filter((reason) => reason !== null);
    this.#unanswered += unanswered.length;
    return unanswered;
  }

  /**
   * Asserts for all bursts so far: an acknowledged session exists once; a rejected one does not exist. One
   * without a response exists with its first event and audit entry, or not at all. Returns a sentence with
   * the counts.
   */
  async check(berth: Berth): Promise<string> {
    const byId = new Map<string, AnyJson>();
    for (const { token } of this.#owners) await readWholeSessions(new Api(berth.url, token), byId);
    const stored = [...byId.values()];
    const titles = stored.map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length, "no request made two sessions");
    assert.deepEqual(
      titles.filter((title) => /refused/.test(title)),
      [],
      "nothing is there that was refused",
    );
    const entries = await auditedSessions(berth);
    const entered = new Set(entries);
    assert.deepEqual(
      stored.filter(({ id }) => !entered.has(id)).map(({ title }) => title),
      [],
      "none is without its entry",
    );
    assert.deepEqual(
      entries.filter((id, place) => !byId.has(id) || entries.indexOf(id) < place),
      [],
      "no entry is of another, or the second of one",
    );
    for (const { id, title, agent, environment_id } of this.#acknowledged) {
      const found = byId.get(id);
      assert.ok(found !== undefined, `${title} was acknowledged, and is not there`);
      assert.deepEqual([found.title, found.agent, found.environment_id], [title, agent, environment_id]);
    }
    const more = stored.length - this.#acknowledged.length;
    return `${this.#acknowledged.length} acknowledged; of ${this.#unanswered} without an answer ${more} are there`;
  }
}

/** Returns the body of a session whose event starts no turn, so that it needs no sandbox. */
function sessionBody(title: string, agent: string, environment: string) {
  const event = { type: "system.message", content: [{ type: "text", text: title }] };
  return { title, agent, environment_id: environment, metadata: { title }, initial_events: [event] };
}

/**
 * Returns the response, or a reason if there was none: a broken connection, or a service without its
 * database.
 */
async function answerTo(url: string, token: string, body: { title: string }): Promise<ApiResponse | string> {
  const answer = await new Api(url, token)
    .post("/sessions", body)
    .catch((error) => `${error.cause ?? error}`);
  if (typeof answer === "string" || answer.status !== 500) return answer;
  assert.equal(answer.body.error.message, "The service cannot reach its database.", body.title);
  return answer.body.error.message;
}

async function refusedRequests(url: string, owners: readonly Owner[]): Promise<Refused[]> {
  const [first, second] = owners as [Owner, Owner];
  const api = new Api(url, first.token);
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  await api.ok("POST", `/agents/${agent.id}/archive`);
  await api.ok("POST", `/environments/${environment.id}/archive`);
  const refused = (
    fields: { agent?: string; environment_id?: string },
    error: Refused["error"],
    { token } = first,
  ) => ({ token, body: { agent: first.agent, environment_id: first.environment, ...fields }, error });
  const archived = (message: string) => ({ status: 409, type: "conflict_error", message });
  return [
    refused({ agent: agent.id }, archived(`Agent '${agent.id}' is archived.`)),
    refused({ environment_id: environment.id }, archived(`Environment '${environment.id}' is archived.`)),
    refused(
      { environment_id: UNKNOWN_ENVIRONMENT },
      {
        status: 404,
        type: "not_found_error",
        message: `Environment '${UNKNOWN_ENVIRONMENT}' does not exist.`,
        param: "environment_id",
      },
    ),
    refused(
      {},
      {
        status: 403,
        type: "permission_error",
        message: `The token has no access to agent '${first.agent}'. Ask its owner, owner@example.com, to share it.`,
      },
      second,
    ),
  ];
}

/** Adds the sessions that the caller sees, after checking that each has its initial event. */
async function readWholeSessions(api: Api, byId: Map<string, AnyJson>): Promise<void> {
  for (let page: string | null = ""; page !== null; ) {
    const query = `limit=100${page && `&page=${encodeURIComponent(page)}`}`;
    const { data, next_page: next }: AnyJson = await api.ok("GET", `/sessions?${query}`);
    const unread = data.filter(({ id }: AnyJson) => !byId.has(id));
    await Promise.all(unread.map((session: AnyJson) => assertWhole(api, session)));
    for (const session of unread) byId.set(session.id, session);
    page = next;
  }
}

async function assertWhole(api: Api, { id, title, metadata }: AnyJson): Promise<void> {
  const { data } = await api.ok("GET", `/sessions/${id}/events`);
  const texts = data.map(({ type, content }: AnyJson) => [type, content[0].text]);
  assert.deepEqual([metadata.title, texts], [title, [["system.message", title]]], `${title} is whole`);
}

/** Returns the ids of created sessions in the audit log. */
async function auditedSessions(berth: Berth): Promise<string[]> {
  const lines = await berth.command("admin", "audit", "--all", "--json", "--operation", "sessions.create");
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).resources[0]);
}
