import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { startPgBouncer } from "../postgres-server/pg-bouncer.ts";
import { type PostgresServer, startPostgres } from "../postgres-server/postgres-server.ts";

const directory = mkdtempSync(join(tmpdir(), "berth-pooler-"));
let postgres: PostgresServer;
let sessions: PostgresServer;
let transactions: PostgresServer;
before(async () => {
  postgres = await startPostgres({ databases: ["berth", "other"] });
  [sessions, transactions] = await Promise.all([
    startPgBouncer(postgres, "session"),
    startPgBouncer(postgres, "transaction"),
  ]);
});
after(async () => {
  await Promise.all([sessions, transactions].map((one) => one?.stop()));
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
});

covers(
  ["database-pooler"],
  "PgBouncer in session mode: a session runs, and what listens goes around it",
  async (t) => {
    const config = join(directory, "berth.yaml");
    const urls = { database_url: sessions.url("berth"), database_direct_url: postgres.url("berth") };
    // JSON is valid YAML.
    writeFileSync(config, JSON.stringify(urls), { mode: 0o600 });
    const berth = await Berth.start({ settings: { BERTH_CONFIG: config }, dataDir: join(directory, "data") });
    t.after(() => berth.stop());
    const words = ["bootstrap", "--user", "ada@example.com", "--config", config];
    const api = new Api(berth.url, await berth.command(...words));
    const session = await makeSession(api);
    for (const word of ["one", "two"])
      assert.match(
        toolResults(await runTurn(api, session.id, bash(`echo ${word}`))).join(),
        new RegExp(word),
      );
  },
);

covers(
  ["database-pooler"],
  "a pooler that cannot serve, or no way around it: one sentence, exit code 2",
  async () => {
    for (const [url, direct, sentence] of [
      [transactions.url("berth"), postgres.url("berth"), /set its pool_mode to session\.$/],
      [sessions.url("berth"), postgres.url("other"), /leads to another database than BERTH_DATABASE_URL/],
      [sessions.url("berth"), null, /also set BERTH_DATABASE_DIRECT_URL/],
    ] as const) {
      const settings = {
        BERTH_DATABASE_URL: url,
        ...(direct === null ? {} : { BERTH_DATABASE_DIRECT_URL: direct }),
      };
      await assert.rejects(Berth.start({ settings }), (error: Error) => {
        const [first, ...lines] = error.message.trim().split("\n");
        assert.equal(first, "serve ended with 2:", error.message);
        assert.equal(lines.length, 1, error.message);
        assert.match(lines[0] ?? "", sentence);
        return true;
      });
    }
  },
);
