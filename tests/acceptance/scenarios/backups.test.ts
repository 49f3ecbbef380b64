import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { type AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeFile,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { listAll } from "../harness/list-all.ts";
import { runBerth } from "../harness/run-berth.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { waitUntil } from "../harness/wait-until.ts";

const BINARY = fileURLToPath(new URL("../../../bin/berth", import.meta.url));
const CALLERS = 3;

let directory: string;
let berth: Berth;
let api: Api;
/** A backup of the service with a file, made before the first test. */
let made: string;
let file: AnyJson;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "backups-"));
  berth = await Berth.start();
  api = await berth.client();
  file = await makeFile(api, "the content of a file");
  made = at("made");
  await berth.command("backup", made);
});
after(async () => {
  await berth.stop();
  await rm(directory, { recursive: true, force: true });
});

const at = (name: string) => join(directory, name);
const keyFile = () => join(berth.dataDir, "secret.key");

/** Appends events until `isOver`. Returns the time of each acknowledgement, by event id. */
async function append(session: string, isOver: () => boolean): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>();
  while (!isOver()) {
    const content = [{ type: "text", text: "a note" }];
    const sent = await api.ok("POST", `/sessions/${session}/events`, {
      events: [{ type: "system.message", content }],
    });
    acknowledged.set(sent.data[0].id, Date.now());
  }
  return acknowledged;
}

async function idsOf(client: Api, session: string): Promise<Set<string>> {
  const events = await listAll(client, `/sessions/${session}/events?limit=100`);
  return new Set(events.map(({ id }) => id));
}

covers(
  ["backup-complete", "backup-disks"],
  "backup under load: restored, it has all that was acknowledged before its end",
  async (t) => {
    const sessions = await Promise.all(Array.from({ length: CALLERS }, () => makeSession(api)));
    const worked = await makeSession(api);
    await runTurn(api, worked.id, bash("echo kept > /data/file"));
    let isOver = false;
    const appending = sessions.map(({ id }) => append(id, () => isOver));
    const began = Date.now();
    const { ended_at } = JSON.parse(await berth.command("backup", at("loaded"), "--json"));
    const late = await makeSession(api);
    isOver = true;
    const acknowledged = await Promise.all(appending);
    const ended = Date.parse(ended_at);
    const during = acknowledged.flatMap((times) => [...times.values()].filter((time) => time > began));
    assert.ok(during.some((time) => time < ended) && during.some((time) => time > ended), "no load");

    const dataDir = at("restored");
    const restore = ["restore", at("loaded"), "--data-dir", dataDir, "--secret-key-file", keyFile()];
    const { code, said } = await runBerth(restore);
    assert.equal(code, 0, said);
    const again = await servicesOf(t)({ dataDir });
    const restored = new Api(again.url, api.token);
    for (const [index, { id }] of sessions.entries()) {
      const ids = await idsOf(restored, id);
      for (const [event, time] of acknowledged[index] ?? [])
        assert.ok(ids.has(event) || time >= ended, `${event}, acknowledged at ${time}, is not there`);
    }
    assert.equal((await restored.get(`/files/${file.id}/content`)).body, "the content of a file");
    assert.equal((await restored.get(`/sessions/${late.id}`)).status, 404);

    const events = [steps(bash("cat /data/file"))];
    const sent = await restored.ok("POST", `/sessions/${worked.id}/events`, { events });
    const turn = await waitForTurn(restored, worked.id, sent.data[0].id);
    assert.match(toolResults(turn)[0] ?? "", /No such file/);
    const { data } = await restored.ok("GET", `/sessions/${worked.id}/events?limit=100`);
    const reclaimed = data.filter(({ type }: AnyJson) => type === "session.container_reclaimed");
    assert.deepEqual(
      reclaimed.map(({ reason }: AnyJson) => reason),
      ["lost"],
    );
  },
);

covers(["backup-check"], "restore --check: names contents that are damaged or missing", async () => {
  const whole = await runBerth(["restore", made, "--check"]);
  assert.equal(whole.code, 0);
  assert.match(whole.said, /^The backup can be restored: \d+ sessions with \d+ events, and 1 files/);

  const { sha256 } = await api.ok("GET", `/files/${file.id}`);
  const content = (backup: string) => join(backup, "blobs", sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  await cp(made, at("damaged"), { recursive: true });
  const faults = [() => appendFileSync(content(at("damaged")), "more"), () => rmSync(content(at("damaged")))];
  for (const damage of faults) {
    damage();
    const { code, said } = await runBerth(["restore", at("damaged"), "--check"]);
    assert.equal(code, 1);
    assert.match(said, new RegExp(`The content ${sha256} is missing or damaged`));
  }
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith("berth-check-")),
    [],
  );
});

covers(
  ["backup-faults"],
  "a wrong place, key, format or database is refused, and leaves nothing",
  async () => {
    const own = ["--data-dir", berth.dataDir];
    writeFileSync(at("other.key"), `${Buffer.from("12345678".repeat(4)).toString("base64")}\n`, {
      mode: 0o600,
    });
    const note = JSON.parse(readFileSync(join(made, "backup.json"), "utf8"));
    for (const [name, fields] of Object.entries({
      newer: { format: 2 },
      foreign: { architecture: "mips" },
    })) {
      await cp(made, at(name), { recursive: true });
      writeFileSync(join(at(name), "backup.json"), JSON.stringify({ ...note, ...fields }));
    }
    await cp(made, at("torn"), { recursive: true });
    rmSync(join(at("torn"), "cluster"), { recursive: true });
    await cp(made, at("elsewhere"), { recursive: true });
    writeFileSync(join(at("elsewhere"), "cluster/PG_VERSION"), "99\n");
    await cp(made, at("null"), { recursive: true });
    writeFileSync(join(at("null"), "backup.json"), "null");
    writeFileSync(at("file"), "no directory");
    const before = readdirSync(directory);
    const target = ["--data-dir", at("target")];
    const external = { BERTH_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    const cases: [args: string[], said: RegExp, settings?: Record<string, string>][] = [
      [["backup", made, ...own], /made is not empty: name a new directory/],
      [["backup", at("file"), ...own], /file is a file: name a new directory/],
      [["backup", join(at("file"), "b"), ...own], /file is not a directory\./],
      [["backup", "/proc/none/b", ...own], /directory \/proc\/none cannot be created: /],
      [["backup", join(berth.dataDir, "b"), ...own], /inside the data directory/],
      [["backup", at("b"), "--data-dir", at("nothing")], /There is no installation in .*nothing/],
      [["backup", at("b"), ...own], /This installation uses the database of BERTH_DATABASE_URL/, external],
      [["restore", at("nothing"), ...target], /nothing is not a backup/],
      [["restore", at("newer"), ...target], /written by a newer Berth/],
      [["restore", at("foreign"), ...target], /with the architecture mips/],
      [["restore", at("null"), ...target], /null is not a backup/],
      [["restore", at("torn"), "--check"], /torn is not a complete backup: it has no database/],
      [["restore", at("elsewhere"), "--check"], /elsewhere\/cluster was written by PostgreSQL 99/],
      [["restore", made, "--data-dir", at("file")], /file is a file: name a new directory/],
      [["restore", made, ...target, "--secret-key-file", directory], /There is no file /],
      [["restore", made, ...own, "--secret-key-file", keyFile()], /is not empty: name a new directory/],
      [["restore", made, ...target], /The backup has no secret key/],
      [["restore", made, ...target, "--secret-key-file", at("other.key")], /belongs to another secret key/],
      [["restore", made, ...target, "--secret-key-file", at("none.key")], /none\.key/],
      ...["restore", "check"].map((how): [string[], RegExp, Record<string, string>] => [
        ["restore", made, ...(how === "check" ? ["--check"] : target), "--secret-key-file", keyFile()],
        /--secret-key-file and BERTH_SECRET_KEY_FILE name different keys/,
        { BERTH_SECRET_KEY_FILE: at("other.key") },
      ]),
      [["restore", made, ...target], /none\.key/, { BERTH_SECRET_KEY_FILE: at("none.key") }],
      [["migrate", "--data-dir", at("file")], /file is not a directory/],
      [["migrate", "--data-dir", join(at("file"), "b")], /file is not a directory/],
      [["migrate", "--data-dir", "/proc/none"], /\/proc\/none/],
    ];
    for (const [args, expected, settings] of cases) {
      const { code, said } = await runBerth(args, settings);
      assert.match(said, expected);
      assert.equal(said.split("\n").length, 1, said);
      assert.equal(code, 2, `${args} → ${code}`);
    }
    assert.deepEqual(readdirSync(directory), before);
    const unreachable = await runBerth(["migrate"], external);
    assert.deepEqual([unreachable.code, unreachable.said.split("\n").length], [1, 1], unreachable.said);
  },
);

covers(
  ["backup-altered"],
  "a backup with a link, a pipe or another file than it was made with is refused, and nothing is left",
  async () => {
    const { sha256 } = await api.ok("GET", `/files/${file.id}`);
    const content = `blobs/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
    writeFileSync(at("outside"), "a file of the machine");
    const link = (path: string) => {
      rmSync(path);
      symlinkSync(at("outside"), path);
    };
    const pipe = "blobs/pipe";
    const key = ["--secret-key-file", keyFile()];
    const target = ["--data-dir", at("none"), ...key];
    const noFile = (path: string) =>
      new RegExp(`copy/${path} is neither a file nor a directory: the backup was`);
    const otherwise = /copy does not match its digest: it was altered/;
    const setting = "cluster/postgresql.auto.conf";
    const cases: [path: string, alter: (path: string) => void, expected: RegExp, ways: string[][]][] = [
      [content, link, noFile(content), [["--check"], target]],
      [pipe, (path) => void execFileSync("mkfifo", [path]), noFile(pipe), [["--check"]]],
      [setting, (path) => appendFileSync(path, "jit = on\n"), otherwise, [["--check", ...key], target]],
    ];
    for (const [path, alter, expected, ways] of cases) {
      await cp(made, at("copy"), { recursive: true });
      alter(join(at("copy"), path));
      for (const way of ways) {
        const { code, said } = await runBerth(["restore", at("copy"), ...way]);
        assert.match(said, expected);
        assert.deepEqual([code, said.split("\n").length], [2, 1], said);
      }
      await rm(at("copy"), { recursive: true });
    }
    assert.ok(!existsSync(at("none")));
    const whole = await runBerth(["restore", made, "--check", ...key]);
    assert.equal(whole.code, 0, whole.said);
    assert.doesNotMatch(whole.said, /is not known/);
  },
);

covers(
  ["backup-altered"],
  "restore --check without the key: nothing of the configuration in a backup is in force",
  async () => {
    await cp(made, at("configured"), { recursive: true });
    const cluster = join(at("configured"), "cluster");
    const marks = at("marks");
    mkdirSync(marks);
    chmodSync(marks, 0o777);
    chmodSync(directory, 0o755);
    const settings = [
      "archive_mode = on",
      `archive_command = 'touch ${marks}/archive'`,
      `restore_command = 'touch ${marks}/restore; false'`,
      `archive_cleanup_command = 'touch ${marks}/cleanup'`,
    ];
    appendFileSync(join(cluster, "postgresql.conf"), `${settings.join("\n")}\n`);
    appendFileSync(join(cluster, "postgresql.auto.conf"), "shared_preload_libraries = 'no_such_library'\n");
    writeFileSync(join(cluster, "recovery.signal"), "");
    const { code, said } = await runBerth(["restore", at("configured"), "--check"]);
    assert.equal(code, 0, said);
    assert.match(said, /Without the secret key, changes by somebody else cannot be detected/);
    assert.deepEqual(readdirSync(marks), []);
  },
);

covers(["backup-complete"], "backup --with-key: restored without a key of its own", async () => {
  await berth.command("backup", at("with-key"), "--with-key");
  const { code, said } = await runBerth(["restore", at("with-key"), "--data-dir", at("keyed"), "--json"]);
  assert.equal(code, 0, said);
  assert.equal(readFileSync(join(at("keyed"), "secret.key"), "utf8"), readFileSync(keyFile(), "utf8"));
});

covers(["backup-stop"], "backup asked to end: nothing is left; killed: the next one removes it", async () => {
  const isPartial = (name: string) => name.startsWith("cut.partial-");
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const child = spawn(BINARY, ["backup", at("cut"), "--data-dir", berth.dataDir], { stdio: "ignore" });
    await waitUntil(
      () => readdirSync(directory).some((name) => isPartial(name) && existsSync(join(at(name), "cluster"))),
      () => "no backup begins",
    );
    child.kill(signal);
    const [, by] = await once(child, "exit");
    assert.equal(by, signal);
    assert.ok(!existsSync(at("cut")));
    assert.equal(readdirSync(directory).some(isPartial), signal === "SIGKILL");
  }
  await berth.command("backup", at("cut"));
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith(basename(at("cut")))),
    ["cut"],
  );
});

covers(["backup-stop"], "the service stops during a backup: the backup is complete", async (t) => {
  const stopped = await servicesOf(t)();
  const child = spawn(BINARY, ["backup", at("stopped"), "--data-dir", stopped.dataDir], { stdio: "ignore" });
  const exit = once(child, "exit");
  await waitUntil(
    () => readdirSync(directory).some((name) => name.startsWith("stopped.partial-")),
    () => "no backup begins",
  );
  assert.equal(await stopped.kill("SIGTERM"), 0);
  assert.deepEqual(await exit, [0, null]);
  assert.equal((await runBerth(["restore", at("stopped"), "--check"])).code, 0);
});
