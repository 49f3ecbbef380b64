// Subject: the settings file, and what is said about settings before anything starts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { assertNothingLeft } from "../../../test-support/assert-nothing-left.ts";
import { berth, startBerth } from "../../../test-support/berth.ts";

test("config check: each fault is a sentence with file, line and key, exit 2; valid settings exit 0", async (t) => {
  const file = fileWith(t, "max_pidss: 5\nport: 70000\n");
  const wrong = await berth(["config", "check", "--config", file], { env: { BERTH_MAX_PIDSS: "5" } });
  assert.deepEqual(
    [wrong.code, wrong.stdout, wrong.stderr.split("\n")],
    [
      2,
      "",
      [
        "warning: The variable BERTH_MAX_PIDSS is not a setting and has no effect; the nearest is BERTH_MAX_PIDS.",
        `error: ${file}, line 1: max_pidss is not a setting; the nearest is max_pids.`,
        `error: ${file}, line 2: port must be an integer from 0 to 65535.`,
        "",
      ],
    ],
  );
  writeFileSync(file, "models_file: none.json\nsecret_key_file: none.key\npg_bin: .\ntls_cert: none.pem\n");
  const missing = await berth(["config", "check", "--config", file]);
  const sentences = missing.stderr.trim().split("\n");
  assert.deepEqual([missing.code, missing.stdout, sentences.length], [2, "", 4], missing.stderr);
  for (const named of [
    /none\.json/,
    /none\.key/,
    /no program postgres/,
    /berth\.yaml, line 4: tls_cert needs tls_key, the key/,
  ])
    assert.ok(
      sentences.some((sentence) => /^error: .*\.$/.test(sentence) && named.test(sentence)),
      `${named}`,
    );
  for (const named of [
    /line 1: models_file: /,
    /line 2: secret_key_file: /,
    /line 3: pg_bin: |line 3: pg_bin /,
  ])
    assert.ok(
      sentences.some((sentence) => named.test(sentence)),
      `${named}: ${missing.stderr}`,
    );
  const flag = await berth(["config", "check", "--config", "/dev/null", "--tls-key", "none.pem"]);
  assert.match(flag.stderr, /--tls-key: BERTH_TLS_KEY needs BERTH_TLS_CERT/);
  writeFileSync(file, "port: 4310\nhost: 0.0.0.0\n");
  const plain = await berth(["config", "check", "--config", file]);
  assert.equal(plain.code, 0);
  assert.match(
    plain.stderr,
    /^warning: \S+, line 2: host: Berth listens for plain HTTP at 0\.0\.0\.0, .*set tls_cert/,
  );
  writeFileSync(file, "port: 4310\n");
  const valid = await berth(["config", "check"], { env: { BERTH_CONFIG: file } });
  assert.deepEqual([valid.code, valid.stderr], [0, ""]);
  assert.equal(valid.stdout, `The settings are valid; the settings file is ${file}.\n`);
});

test("config print: every setting, its value and its source; secrets are not shown", async (t) => {
  const file = fileWith(t, "database_url: postgres://a:hunter2@b/c\nport: 4311\n");
  const args = ["config", "print", "--config", file, "--max-pids", "99"];
  const env = { BERTH_LOG_LEVEL: "warn" };
  const [table, json, short] = await Promise.all([
    berth(args, { env }),
    berth([...args, "--json"], { env }),
    berth([...args, "-o", "json"], { env }),
  ]);
  assert.match(table.stdout, /^SETTING +VALUE +FROM\n/);
  assert.match(table.stdout, /^port +4311 +\S+berth\.yaml, line 2$/m);
  assert.match(table.stdout, /^max_pids +99 +--max-pids$/m);
  assert.match(table.stdout, /^log_level +warn +BERTH_LOG_LEVEL$/m);
  assert.match(table.stdout, /^host +127\.0\.0\.1 +default$/m);
  assert.match(table.stdout, /^database_url +\(set\) /m);
  assert.equal(short.stdout, json.stdout);
  const printed = JSON.parse(json.stdout);
  assert.equal(printed.file, file);
  assert.deepEqual(printed.settings[3], { key: "port", value: 4311, from: "file", name: "port", line: 2 });
  assert.doesNotMatch(table.stdout + json.stdout, /hunter2/);
});

test("settings that are wrong end each command with one sentence and exit 2, and write nothing", async (t) => {
  const file = fileWith(t, "port: 70000\n");
  const dataDir = join(file, "../data");
  const commands = [
    ["serve"],
    ["config", "print"],
    ["token", "create", "--user", "ann@example.com"],
    ["admin", "organizations", "list"],
    ["secrets", "rewrap"],
  ];
  for (const command of commands) {
    const { code, stdout, stderr } = await berth([...command, "--data-dir", dataDir, "--config", file]);
    assert.deepEqual(
      [code, stdout, stderr],
      [2, "", `error: ${file}, line 1: port must be an integer from 0 to 65535.\n`],
      command.join(" "),
    );
  }
  assert.deepEqual(readdirSync(join(file, "..")), ["berth.yaml"]);
});

test("serve, config: a password in a flag is one sentence and exit 2, does not show it, and writes nothing", async (t) => {
  const dataDir = join(fileWith(t, ""), "../data");
  const flags = ["--database-url", "postgres://ann:hunter2@db.example/berth", "--data-dir", dataDir];
  for (const command of [["serve"], ["config", "check"], ["config", "print"]]) {
    const ended = await berth([...command, ...flags]);
    const sentence =
      "error: --database-url cannot have a password, which every user of the machine would see: use BERTH_DATABASE_URL or --database-url-file.\n";
    assert.deepEqual(ended, { code: 2, stdout: "", stderr: sentence }, command.join(" "));
  }
  assert.deepEqual(readdirSync(join(dataDir, "..")), ["berth.yaml"]);
});

test("serve, token: the settings file has effect, and a variable that is no setting is told in the log", async (t) => {
  const file = fileWith(t, "data_dir: data\nhost: 127.0.0.2\nport: 0\n");
  const env = { BERTH_CONFIG: file, BERTH_MAX_PIDSS: "5" };
  const { child, ended } = startBerth(["serve"], { env });
  await once(child.stdout, "data");
  const token = await berth(["token", "create", "--user", "ann@example.com", "--config", file]);
  child.kill("SIGTERM");
  const { stdout, stderr } = await ended;
  assert.match(stdout, /^berth: listening on http:\/\/127\.0\.0\.2:/);
  assert.match(token.stdout, /^\S+\n$/, token.stderr);
  assert.match(stderr, /BERTH_MAX_PIDSS is not a setting and has no effect; the nearest is BERTH_MAX_PIDS\./);
  await assertNothingLeft(join(file, "../data"));
});

function fileWith(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-config-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "berth.yaml");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
