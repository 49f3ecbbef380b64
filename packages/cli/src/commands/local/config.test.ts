// Subject: the settings file, and the messages about settings before anything starts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
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

/** Directories, and named pipes without a writer, in place of the files that settings name. */
const NO_FILES = `models_file: models
secret_key_file: pipe.1
tls_cert: certificate
tls_key: pipe.2
oidc_client_secret_file: pipe.3
git_ca_files: [{ host: git.example.com, ca_file: pipe.4 }]
kubeconfig: pipe.5
oidc_issuer: https://id.example.com
oidc_client_id: berth
oidc_mapping: [{ value: staff, organization: staff }]
sandbox: kubernetes
`;

test("config check and serve: what is no file is told with its place, and nothing waits for it", async (t) => {
  const file = fileWith(t, "");
  const dir = dirname(file);
  const pipe = join(dir, "pipe.1");
  for (const name of ["models", "certificate"]) mkdirSync(join(dir, name));
  execFileSync(
    "mkfifo",
    ["1", "2", "3", "4", "5"].map((name) => join(dir, `pipe.${name}`)),
  );
  writeFileSync(file, NO_FILES);
  const commands = [
    ["config", "check"],
    ["serve", "--data-dir", join(dir, "data")],
  ];
  for (const command of commands) {
    const { code, stderr } = await berth([...command, "--config", file]);
    assert.equal(code, 2, stderr);
    for (const told of [
      /line 1: models_file: .* is a directory, and not a file\.$/m,
      /line 2: secret_key_file: .* is a named pipe, and not a file\.$/m,
      /line 3: tls_cert: .* is a directory, and not a file\.$/m,
      /line 5: oidc_client_secret_file: .* is a named pipe, and not a file\.$/m,
      /line 6: git_ca_files: .* is a named pipe, and not a file\.$/m,
      /line 7: kubeconfig: .* is a named pipe, and not a file\.$/m,
    ])
      assert.match(stderr, told);
  }
  const patch = await berth(["config", "check", "--config", "/dev/null", "--sandbox", "kubernetes"], {
    env: { BERTH_KUBERNETES_POD_PATCH: dir },
  });
  assert.match(
    patch.stderr,
    /^error: BERTH_KUBERNETES_POD_PATCH: The pod patch: \S+ is a directory, and not a file\.$/m,
  );
  const url = await berth(["config", "check", "--config", "/dev/null", "--database-url-file", pipe]);
  assert.match(
    url.stderr,
    /^error: --database-url-file cannot be used: \S+ is a named pipe, and not a file\.$/m,
  );
  const settings = await berth(["config", "check", "--config", pipe]);
  assert.match(settings.stderr, /^error: The settings file \S+ is a named pipe, and not a file\.$/m);
});

test("serve and migrate: a fault of what a setting names has its file and line, its flag, or its variable", async (t) => {
  const file = fileWith(t, "port: 0\nhost: 192.0.2.1\n");
  const data = `${file}.data`;
  const inFile = await berth(["serve", "--config", file, "--data-dir", data]);
  assert.deepEqual([inFile.code, inFile.stdout], [2, ""]);
  assert.match(inFile.stderr, /^error: \S+berth\.yaml, line 2: host: /m);
  const flags = ["--config", "/dev/null", "--data-dir", data];
  const flag = await berth(["serve", ...flags, "--models-file", "/nowhere/models.json"]);
  assert.match(flag.stderr, /^error: --models-file: .*\/nowhere\/models\.json cannot be read/m);
  const variable = await berth(["serve", ...flags], { env: { BERTH_PG_BIN: "/nowhere" } });
  assert.match(
    variable.stderr,
    /^error: There is no program postgres in \/nowhere, which BERTH_PG_BIN names\.$/m,
  );
  writeFileSync(file, `data_dir: /proc/berth\n`);
  const migrated = await berth(["migrate", "--config", file]);
  assert.equal(migrated.code, 2);
  assert.match(
    migrated.stderr,
    /^error: \S+berth\.yaml, line 1: data_dir: The directory \/proc\/berth cannot be/m,
  );
});

test("backup, restore and doctor: a fault of a setting has its file and line, or its variable", async (t) => {
  const lines = ["data_dir: data", "pg_bin: /nowhere", "models_file: /nowhere/models.json"];
  const file = fileWith(t, `${lines.join("\n")}\n`);
  const copy = join(dirname(file), "copy");
  const env = { BERTH_CONFIG: file };
  for (const command of [
    ["backup", copy],
    ["restore", copy],
    ["restore", copy, "--check"],
    ["bootstrap", "--user", "a@example.com"],
  ]) {
    const { code, stderr } = await berth(command, { env });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: \S+berth\.yaml, line 2: pg_bin: There is no program postgres in \/nowhere/);
  }
  const { code, stdout } = await berth(["doctor", "--json"], { env: { ...env, BERTH_ROLE: "api" } });
  assert.equal(code, 1);
  const details = new Map<string, string>(
    JSON.parse(stdout).capabilities.map((one: { name: string; detail: string }) => [one.name, one.detail]),
  );
  assert.match(details.get("database") ?? "", /^\S+berth\.yaml, line 2: pg_bin: There is no program/);
  assert.match(details.get("models") ?? "", /^\S+berth\.yaml, line 3: models_file: .*cannot be read/s);
  assert.deepEqual(readdirSync(dirname(file)), [basename(file)], "nothing is left");
  const named = await berth(["backup", copy, "--data-dir", join(dirname(file), "data")], {
    env: { BERTH_CONFIG: "/dev/null", BERTH_PG_BIN: "/nowhere" },
  });
  assert.match(
    named.stderr,
    /^error: There is no program postgres in \/nowhere, which BERTH_PG_BIN names\.$/m,
  );
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
    ["bootstrap", "--user", "ann@example.com"],
    ["bootstrap", "--operator", "ops"],
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
      "error: --database-url must not have a password, because every user of the machine could see it: use BERTH_DATABASE_URL or --database-url-file.\n";
    assert.deepEqual(ended, { code: 2, stdout: "", stderr: sentence }, command.join(" "));
  }
  assert.deepEqual(readdirSync(join(dataDir, "..")), ["berth.yaml"]);
});

test("serve, bootstrap: the settings file has effect, and a variable that is no setting is told in the log", async (t) => {
  const file = fileWith(t, "data_dir: data\nhost: 127.0.0.2\nport: 0\n");
  const env = { BERTH_CONFIG: file, BERTH_MAX_PIDSS: "5" };
  const { child, ended } = startBerth(["serve"], { env });
  await once(child.stdout, "data");
  const token = await berth(["bootstrap", "--user", "ann@example.com", "--config", file]);
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
