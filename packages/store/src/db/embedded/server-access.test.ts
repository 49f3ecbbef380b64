// Subject: who can reach the embedded server, and how a data directory without its walls gets them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";

const NOBODY = 65_534;
const STRANGER = 12_345;
const KEPT_OUT = ["Permission denied", "Permission denied"];

const ENTER = `
  use Socket;
  socket(my $socket, PF_UNIX, SOCK_STREAM, 0);
  print connect($socket, pack_sockaddr_un($ARGV[0])) ? "connected" : "$!", "\\n";
  print opendir(my $cluster, $ARGV[1]) ? "listed" : "$!", "\\n";`;

/** Returns the results for a user of this id who knows the socket and the server's process. */
function enter(uid: number, { pid, connection }: { pid: number; connection: { host: string } }): string[] {
  const ids = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  const paths = [join(connection.host, ".s.PGSQL.5432"), `/proc/${pid}/cwd`];
  const { stdout } = spawnSync("setpriv", [...ids, "perl", "-e", ENTER, ...paths], { encoding: "utf8" });
  return stdout.trim().split("\n");
}

function ownersBelow(directory: string): number[] {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return [...new Set([".", ...paths].map((name) => statSync(join(directory, name)).uid))];
}

test("embedded server started by root", { skip: process.getuid?.() !== 0 && "needs root" }, async (t) => {
  const [instance, another] = [temporaryInstance(t), temporaryInstance(t)];
  const cluster = join(instance.dataDir, "cluster");
  const server = await instance.start();
  const uid = statSync(`/proc/${server.pid}`).uid;

  await t.test("a copy of the data directory → a user of its own", async () => {
    await server.stop();
    execFileSync("cp", ["-a", `${instance.dataDir}/.`, another.dataDir]);
    const copy = await another.start();
    assert.notEqual(statSync(`/proc/${copy.pid}`).uid, uid);
  });

  await t.test(
    "its user has no account; others, nobody and that of another server are kept out",
    async () => {
      const first = await instance.start();
      const other = await another.start();
      assert.equal(statSync(`/proc/${first.pid}`).uid, uid);
      assert.doesNotMatch(readFileSync("/etc/passwd", "utf8"), new RegExp(`^[^:]*:[^:]*:${uid}:`, "m"));
      for (const stranger of [NOBODY, STRANGER, statSync(`/proc/${other.pid}`).uid])
        assert.deepEqual(enter(stranger, first), KEPT_OUT, `user id ${stranger}`);
      assert.deepEqual(enter(uid, first), ["connected", "listed"]);
      await other.stop();
    },
  );

  await t.test("its password is asked for, and only root can read it", async () => {
    const { passwordFile, ...target } = server.connection;
    assert.deepEqual([statSync(passwordFile).mode & 0o777, statSync(passwordFile).uid], [0o600, 0]);
    for (const password of ["", "berth"]) {
      const client = new pg.Client({ ...target, password });
      client.on("error", () => undefined);
      await assert.rejects(client.connect(), /password/);
      await client.end().catch(() => undefined);
    }
  });

  await t.test(
    "data of another user, half of it already changed, and no password → the same walls, every row",
    async () => {
      const first = await instance.start();
      const notes = "create table notes as select 1 as id";
      await withDatabase(first.connection, (db) => db.write.query({ text: notes }));
      await Promise.all([first.stop(), instance.stopAll()]);
      rmSync(join(instance.dataDir, "password"));
      writeFileSync(join(cluster, "pg_hba.conf"), "local all all trust\n");
      execFileSync("chown", ["-R", "nobody", cluster]);
      execFileSync("chown", ["-R", `${uid}`, join(cluster, "base"), join(cluster, "global")]);
      const later = await instance.start();
      assert.equal(statSync(`/proc/${later.pid}`).uid, uid);
      assert.deepEqual(ownersBelow(cluster), [uid]);
      assert.deepEqual(enter(NOBODY, later), KEPT_OUT);
      const { rows } = await withDatabase(later.connection, (db) => db.read.query({ text: "table notes" }));
      assert.deepEqual(rows, [{ id: 1 }]);
    },
  );
});
