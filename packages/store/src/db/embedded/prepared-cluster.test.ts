// Subject: the contents of an installation that begins with a copy of the prepared cluster.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";
import type { SocketConnection } from "../connection.ts";
import { migrate } from "../migrate.ts";
import { renewIdentity } from "./cluster-identity.ts";
import { isPreparationDue, prepareCluster } from "./prepared-cluster.ts";

before(async () => {
  if (isPreparationDue()) await prepareCluster();
});

/** The part of the control file from which PostgreSQL makes its responses to unknown roles. */
const NONCE = [257, 289] as const;

async function prepared(t: TestContext) {
  const instance = temporaryInstance(t, { isPrepared: true });
  return { ...instance, server: await instance.start() };
}

test("prepared: nothing is left to migrate, and definitions and rows are those that the migrations make", async (t) => {
  const { server } = await prepared(t);
  const made = await temporaryInstance(t).start();
  assert.deepEqual((await migrate({ connection: server.connection })).applied, []);
  await migrate({ connection: made.connection });
  const [copied, migrated] = [await contentsOf(server.connection), await contentsOf(made.connection)];
  assert.ok(copied.length > 500);
  assert.deepEqual(copied, migrated);
});

test("prepared: two copies share no identity, no password and no secret", async (t) => {
  const [one, other] = [await prepared(t), await prepared(t)];
  const [first, second] = [await identityOf(one), await identityOf(other)];
  for (const [name, value] of Object.entries(first)) {
    assert.notEqual(value, second[name as keyof typeof second], name);
    assert.ok(value, name);
  }
});

test("prepared: it says when it was made", async (t) => {
  const began = Date.now();
  const { server } = await prepared(t);
  const text = "select min(applied_at) as since from schema_migrations";
  const { rows } = await withDatabase(server.connection, (db) => db.read.query<{ since: Date }>({ text }));
  assert.ok((rows[0]?.since.getTime() ?? 0) >= began - 1000);
});

test("prepared: the server is killed → what was committed is there again", async (t) => {
  const { server, start } = await prepared(t);
  const text = "create table notes as select 1 as id";
  await withDatabase(server.connection, (db) => db.write.query({ text }));
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const again = await start();
  const { rows } = await withDatabase(again.connection, (db) => db.read.query({ text: "table notes" }));
  assert.deepEqual(rows, [{ id: 1 }]);
});

test("prepared: a password that an interrupted start has left → another one, which is asked for", async (t) => {
  const instance = temporaryInstance(t, { isPrepared: true });
  writeFileSync(join(instance.dataDir, "password"), "left");
  const { connection } = await instance.start();
  await withDatabase(connection, (db) => db.read.query({ text: "select 1" }));
  assert.notEqual(readFileSync(connection.passwordFile, "utf8"), "left");
});

test("renewIdentity: a damaged control file → an error, and nothing is changed", async (t) => {
  const instance = temporaryInstance(t, { isPrepared: true });
  await (await instance.start()).stop();
  const cluster = join(instance.dataDir, "cluster");
  const file = join(cluster, "global/pg_control");
  const control = readFileSync(file);
  control[100] = (control[100] ?? 0) ^ 1;
  writeFileSync(file, control);
  assert.throws(() => renewIdentity(cluster), /pg_control is damaged, or not of PostgreSQL 18/);
  assert.deepEqual(readFileSync(file), control);
});

/**
 * Returns each relation, column, index, constraint, function and trigger with its definition, and each row.
 */
async function contentsOf(connection: SocketConnection): Promise<string[]> {
  return await withDatabase(connection, async (db) => {
    const { rows } = await db.read.query<{ line: string }>({ text: DEFINITIONS });
    const tables = await db.read.query<{ name: string }>({ text: TABLES });
    const lines = rows.map(({ line }) => line);
    for (const { name } of tables.rows) {
      const text = `select to_jsonb(t) - 'applied_at' - 'id' as row from ${name} t`;
      const found = await db.read.query<{ row: object }>({ text });
      lines.push(...found.rows.map(({ row }) => `${name} ${JSON.stringify(row)}`).sort());
    }
    return lines;
  });
}

const TABLES =
  "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1";

const DEFINITIONS = `
  select line from (
    select format('%s %s %s %s %s %s', relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull,
                  pg_get_expr(adbin, adrelid)) as line
    from pg_attribute join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace
    union all select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = 'public'::regnamespace
    union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select format('%s %s', extname, extversion) from pg_extension
    union all select format('%s %s', rolname, rolsuper) from pg_roles
    union all select format('%s %s %s', datname, datcollate, pg_encoding_to_char(encoding)) from pg_database
    where datname = 'berth'
    union all select format('%s %s', relname, reloptions) from pg_class
    where relnamespace = 'public'::regnamespace
  ) as all_lines order by line collate "C"`;

async function identityOf({ server, dataDir }: Awaited<ReturnType<typeof prepared>>) {
  const text = `select (select system_identifier::text from pg_control_system()) as system,
                       (select id::text from database_identity) as database,
                       (select rolpassword from pg_authid where rolname = 'berth') as verifier`;
  const { rows } = await withDatabase(server.connection, (db) => db.read.query<Identity>({ text }));
  const nonce = readFileSync(join(dataDir, "cluster/global/pg_control")).subarray(...NONCE);
  return {
    ...(rows[0] as Identity),
    nonce: nonce.toString("hex"),
    password: readFileSync(server.connection.passwordFile, "utf8"),
  };
}

type Identity = { system: string; database: string; verifier: string };
