import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { Api, type ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment } from "../acceptance/harness/fixtures.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { type PostgresServer, startPostgres } from "../postgres-server/postgres-server.ts";
import { type GatedModel, startGatedModel } from "./gated-model.ts";

/**
 * Two APIs and three runners. A turn lasts until its model is released, and turns wait for a free slot of a
 * runner.
 */
const RUNNERS = 3;
const PLACES = RUNNERS * 32;
const DUE = 1_000;
const MAX_TURNS = 4;
const MAX_SESSIONS = 9;

const root = mkdtempSync(join(tmpdir(), "berth-fair-"));
let postgres: PostgresServer;
let model: GatedModel;
let config: string;
const services: Berth[] = [];

before(async () => {
  [postgres, model] = await Promise.all([startPostgres({ databases: ["berth"] }), startGatedModel()]);
  const providers = { local: { kind: "openai-compatible", base_url: model.url } };
  mkdirSync(join(root, "blobs"));
  config = written("berth.yaml", {
    database_url: postgres.url("berth"),
    blobs: join(root, "blobs"),
    secret_key_file: written("secret.key", randomBytes(32).toString("base64")),
    models_file: written("models.json", { providers, models: [{ id: "local/gated" }] }),
    runner_address: "127.0.0.1:0",
  });
  await start("api", "api");
  await start("api", "api-beside");
});
after(async () => {
  await Promise.all(services.map((service) => service.kill("SIGKILL")));
  model?.close();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Writes a file, with an object as JSON, which is valid YAML. */
function written(name: string, content: object | string): string {
  const path = join(root, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

async function start(role: string, name: string): Promise<void> {
  const settings = { BERTH_CONFIG: config, BERTH_ROLE: role };
  services.push(await Berth.start({ dataDir: join(root, name), settings }));
}

/** Runs a command like an operator: `admin` by HTTP, others on an API's host. */
async function operate(...words: string[]): Promise<string> {
  const given = words[0] === "admin" ? words : [...words, "--config", config];
  return (await services[0]?.command(...given)) ?? "";
}

interface Organization {
  /** The clients of both APIs. */
  clients: Api[];
  session: { agent: string; environment_id: string };
}

async function organization(name: string): Promise<Organization> {
  const token = await operate("bootstrap", "--user", `ada@${name}.example`, "--org", name);
  const [first, second] = services.map(({ url }) => new Api(url, token));
  assert.ok(first && second);
  const agent = await makeAgent(first, { model: "local/gated" });
  const environment = await makeEnvironment(first);
  return { clients: [first, second], session: { agent: agent.id, environment_id: environment.id } };
}

/** Creates a session with a message that has this mark. */
function create({ clients, session }: Organization, mark: string, lane: number): Promise<ApiResponse> {
  const client = clients[lane % clients.length];
  assert.ok(client);
  const content = [{ type: "text", text: `<${mark}>` }];
  return client.post("/sessions", { ...session, initial_events: [{ type: "user.message", content }] });
}

/** Creates sessions with a message each, marked with the name and a number, through both APIs. */
async function append(whose: Organization, name: string, count: number): Promise<void> {
  let made = 0;
  const one = async (_: unknown, lane: number) => {
    while (made < count) assert.equal((await create(whose, `${name}${made++}`, lane)).status, 200);
  };
  await Promise.all(Array.from({ length: 12 }, one));
}

/** Ends a turn of an organization, which frees a slot. Returns the mark of the turn that begins there. */
async function next(ended: string): Promise<string> {
  const before = model.began.length;
  model.release(ended);
  await model.until(before + 1);
  return model.began[before] ?? "";
}

covers(
  ["fair-turns", "limit-turns", "limit-sessions"],
  "three runners and two APIs: a thousand due sessions of one organization delay no turn of others, and limits are those of all",
  async () => {
    const [large, other, limited] = [
      await organization("large"),
      await organization("other"),
      await organization("limited"),
    ];
    const limits = [`running_turns=${MAX_TURNS}`, `open_sessions=${MAX_SESSIONS}`];
    await operate("admin", "limits", "set", "--org", "limited", ...limits);
    for (const name of ["one", "two", "three"]) await start("runner", name);
    await append(large, "large", DUE);
    await model.until(PLACES);
    assert.equal(model.began.length, PLACES);

    for (let turn = 0; turn < 6; turn += 1) {
      const before = model.began.length;
      await append(other, `other${turn}x`, 1);
      await model.until(before + 1);
      assert.match(model.began[before] ?? "", new RegExp(`^other${turn}x`), "another's turn waits for none");
      model.release("other");
    }
    assert.match(await next("large"), /^large/, "while no other waits, a free place is the large one's");
    // This organization starts a backlog of its own. It gets up to a quarter of the slots at once, then those
    // that the large one has beyond its share.
    const from = model.began.length;
    await append(other, "others", 40);
    await model.until(from + PLACES / 4);
    for (let turn = 0; turn < 6; turn += 1) assert.match(await next("large"), /^others/);
    const theirs = model.began.slice(from).filter((mark) => mark.startsWith("others")).length;
    assert.equal(theirs, PLACES / 4 + 6);

    const created = await Promise.all(
      Array.from({ length: 30 }, (_, number) => create(limited, `limited${number}`, number)),
    );
    const statuses = created.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, MAX_SESSIONS, statuses.join(" "));
    assert.equal(statuses.filter((status) => status === 429).length, 30 - MAX_SESSIONS);
    const theirTurns = () => model.began.filter((mark) => mark.startsWith("limited")).length;
    model.open("limited");
    for (let turns = MAX_TURNS; turns <= MAX_SESSIONS; turns += 1) {
      await waitUntil(
        () => theirTurns() >= turns,
        () => `${theirTurns()} of ${turns} turns began`,
      );
      // Meanwhile every runner has free slots.
      if (turns === MAX_TURNS) await model.until(model.began.length + PLACES);
      assert.equal(theirTurns(), turns, "more turns at once than there may be");
      assert.equal(model.waiting().length, MAX_TURNS);
      model.release("limited");
    }
    assert.equal(new Set(model.began).size, model.began.length, "no turn began twice");
  },
);
