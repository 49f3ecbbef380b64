import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { ConfigError } from "./config-error.ts";
import { describeSettings } from "./describe-settings.ts";
import { readConfig, readSettings } from "./read-config.ts";
import { defaultOf, flagOf, keyOf, SETTING_FLAGS, SETTING_LIST } from "./settings.ts";
import { unknownVariables } from "./unknown-variables.ts";

/** A wrong value of each setting, and the expected message. */
const WRONG: Readonly<Record<string, readonly [value: string, clause: string]>> = {
  data_dir: ["", "must not be empty"],
  role: ["worker", "must be one of all, api, runner"],
  host: ["", "must not be empty"],
  port: ["70000", "must be an integer from 0 to 65535"],
  tls_cert: ["", "must not be empty"],
  tls_key: ["", "must not be empty"],
  trusted_proxies: [
    "10.0.0.0/33",
    "must be a list such as 10.0.0.1,10.1.0.0/16, but 10.0.0.0/33 is not an address or network",
  ],
  public_url: ["https://a/b", "must be an http or https URL with nothing after the host and port"],
  preview_url: ["https://previews.example.com", "must have the form https://*.previews.example.com"],
  preview_address: ["4184", "must be an address and a port, such as 127.0.0.1:9464"],
  console: ["yes", "must be one of on, off, plain-http"],
  oidc_issuer: ["http://login.example.com", "must be an https URL without credentials, query and fragment"],
  oidc_client_id: ["", "must not be empty"],
  oidc_client_secret_file: ["", "must not be empty"],
  oidc_scopes: ["email", "must be a list of scopes with openid, such as openid,email,profile"],
  oidc_claim: ["", "must not be empty"],
  oidc_mapping: ["{}", "must be a JSON array of {value, organization, role}"],
  https_proxy: ["socks5://root:hunter2@proxy", "must have the form http://user:password@host:port"],
  http_proxy: ["http://root:hunter2@proxy/path", "must have the form http://user:password@host:port"],
  no_proxy: [
    "10.0.0.0/99",
    "must be a list such as internal.example,10.0.0.0/8, and 10.0.0.0/99 is no host or network",
  ],
  smtp_url: ["http://root:hunter2@mail", "must have the form smtps://user:password@host:port"],
  smtp_from: ["nobody", "must be a mail address, such as berth@example.com"],
  database_url: ["mysql://root:hunter2@x/y", "must have the form postgres://user@host:port/database"],
  database_direct_url: ["mysql://root:hunter2@x/y", "must have the form postgres://user@host:port/database"],
  database_pool: ["3", "must be an integer from 4 to 500"],
  pg_bin: ["", "must not be empty"],
  migrate: ["yes", "must be one of on, off"],
  secret_key_file: ["", "must not be empty"],
  blobs: ["s3://root:hunter2@bucket", "must not contain credentials"],
  blob_cache_mb: ["-1", "must be an integer from 0 to 16777216"],
  models_file: ["", "must not be empty"],
  hosted_providers: ["{}", "must be a JSON array of {host, api, token_env, ca_file}"],
  git_ca_files: ["[", "must be valid JSON"],
  git_http_hosts: ["a:80", ": 'a:80' is not a lower-case host with an optional port other than 80"],
  egress_allow_private: ["10.0.0.0/99", ': "10.0.0.0/99" is not a host'],
  disk_reclaim_seconds: ["0", "must be an integer from 1 to 31536000"],
  workspace_saves: ["always", "must be one of idle, off"],
  workspace_save_mb: ["0", "must be an integer from 1 to 1048576"],
  session_disk_mb: ["63", "must be 0 or at least 64"],
  max_cpus: ["0", "must be a number from 0.1 to 256"],
  max_memory_mb: ["63", "must be an integer from 64 to 1048576"],
  max_pids: ["15", "must be an integer from 16 to 1000000"],
  max_disk_mb: ["63", "must be an integer from 64 to 1048576"],
  sandbox_idle_seconds: ["-1", "must be an integer from 0 to 86400"],
  max_keep_alive_seconds: ["-1", "must be an integer from 0 to 86400"],
  preview_max_seconds: ["59", "must be an integer from 60 to 2592000"],
  follow_look_seconds: ["0", "must be an integer from 1 to 3600"],
  follow_quiet_seconds: ["3601", "must be an integer from 0 to 3600"],
  sandbox_perf: ["on", "must be one of auto, off"],
  model_retry_seconds: ["-1", "must be an integer from 0 to 604800"],
  max_model_requests: ["0", "must be an integer from 1 to 1000000"],
  host_grace_seconds: ["0", "must be an integer from 1 to 86400"],
  clone_retry_seconds: ["soon", "must be a list of at most 20 numbers of seconds below 1000"],
  snapshots_mb: ["-1", "must be an integer from 0 to 1073741824"],
  snapshots_days: ["0", "must be an integer from 1 to 3650"],
  json_limit: ["1", "must be an integer from 1024 to 33554432"],
  upload_limit: ["0", "must be an integer from 1 to 1099511627776"],
  sandbox: ["vm", "must be one of bubblewrap, docker, kubernetes"],
  rootfs: ["arch", "must be one of debian, host"],
  system_dir: ["", "must not be empty"],
  debian_mirror: [
    "ftp://mirror.example/debian",
    "must be an http or https URL without credentials or a query",
  ],
  docker_socket: ["", "must not be empty"],
  docker_image: ["", "must not be empty"],
  kubeconfig: ["", "must not be empty"],
  kubernetes_namespace: ["", "must not be empty"],
  kubernetes_image: ["", "must not be empty"],
  kubernetes_storage_class: ["", "must not be empty"],
  kubernetes_snapshot_class: ["", "must not be empty"],
  kubernetes_node_selector: ["pool", "must be a list of labels such as pool=sandboxes,disk=local"],
  kubernetes_tolerations: [
    "a:Never",
    "must be a list of taints such as dedicated=sandboxes:NoSchedule,spot:NoExecute",
  ],
  kubernetes_runtime_class: ["", "must not be empty"],
  kubernetes_runtime_classes: ["gVisor", "must be a list of names such as gvisor,kata"],
  kubernetes_warm_pods: ["1001", "must be an integer from 0 to 1000"],
  kubernetes_schedule_seconds: ["0", "must be an integer from 1 to 86400"],
  kubernetes_pull_seconds: ["ten", "must be an integer from 1 to 86400"],
  kubernetes_egress: ["none", "must be one of routes, proxy"],
  kubernetes_egress_image: ["", "must not be empty"],
  kubernetes_pod_patch: ["", "must not be empty"],
  npm_registry: ["http://x", "must be an https URL without credentials or a query"],
  pip_index: ["https://a:b@x", "must be an https URL without credentials or a query"],
  runtimes_file: ["", "must not be empty"],
  organization_limits: [
    "sessions=5",
    "must be a list such as open_sessions=50,file_bytes=1000000000, of requests_per_second, request_burst, open_sessions, file_bytes, running_turns, sandbox_seconds_per_day, disk_bytes, spend_cents, spend_cents_per_day, but sessions=5 is none of these",
  ],
  user_limits: [
    "open_sessions=many",
    "must be a whole number from 0 to 999999999999999 or none, but open_sessions=many is not",
  ],
  retention_days: ["files=0", "must be a whole number of days from 1 to 99999, but files=0 is not"],
  address_limits: [
    "requests_per_second=5,open_sessions=1",
    "must be a list such as requests_per_second=5,request_burst=20, but has open_sessions, which is not counted by address",
  ],
  metrics_address: ["9464", "must be an address and a port, such as 127.0.0.1:9464"],
  runner_address: ["4181", "must be an address and a port, such as 127.0.0.1:9464"],
  egress_address: ["4182", "must be an address and a port, such as 127.0.0.1:9464"],
  egress_gateway: ["egress.berth", "must be a host and a port, such as egress.berth:4182"],
  metrics_public: ["true", "must be one of yes, no"],
  access_log: ["true", "must be one of on, off"],
  log_level: ["loud", "must be one of debug, info, warn, error, silent"],
};

test("each setting: a wrong value is one sentence that names the flag, the variable, or the file, line and key", (t) => {
  assert.deepEqual(
    Object.keys(WRONG),
    SETTING_LIST.map(([, { variable }]) => keyOf(variable)),
  );
  for (const [, { variable }] of SETTING_LIST) {
    const key = keyOf(variable);
    const [value, clause] = WRONG[key] ?? ["", ""];
    const file = fileWith(t, `# settings\n${key}: ${JSON.stringify(value)}\n`);
    const flag = flagOf(variable);
    for (const [faults, name] of [
      [faultsOf({}, { [flag.slice(2)]: value }), flag],
      [faultsOf({ [variable]: value }), variable],
      [faultsOf({}, { config: file }), `${file}, line 2: ${key}`],
    ] as const) {
      assert.equal(faults.length, 1, `${faults}`);
      const [fault = ""] = faults;
      const separator = clause.startsWith(":") ? "" : " ";
      assert.ok(fault.startsWith(`${name}${separator}${clause}`), fault);
      assert.match(fault, /[^.]\.$/);
      assert.doesNotMatch(fault, /hunter2|\n/);
    }
  }
});

test("a flag wins over a variable, a variable over the settings file, the file over the default", (t) => {
  const file = fileWith(t, "port: 4301\nmax_pids: 100\nhost: 127.0.0.2\nlog_level: debug\n");
  const environment = { BERTH_CONFIG: file, BERTH_MAX_PIDS: "200", BERTH_HOST: "127.0.0.3" };
  const values = readSettings(environment, { host: "127.0.0.4" }, "/");
  const { port, maxPids, host, logLevel, rootfs } = values.config;
  assert.deepEqual([port, maxPids, host, logLevel, rootfs], [4301, 200, "127.0.0.4", "debug", "debian"]);
  const from = Object.fromEntries(describeSettings(values).map(({ key, ...rest }) => [key, rest]));
  assert.deepEqual(from.port, { value: 4301, from: "file", name: "port", line: 1 });
  assert.deepEqual(from.max_pids, { value: 200, from: "variable", name: "BERTH_MAX_PIDS", line: null });
  assert.deepEqual(from.host, { value: "127.0.0.4", from: "flag", name: "--host", line: null });
  assert.deepEqual(from.rootfs, { value: "debian", from: "default", name: null, line: null });
  const other = fileWith(t, "port: 4302");
  assert.equal(readConfig(environment, { config: other }).port, 4302);
});

test("settings file: --config, else BERTH_CONFIG, else that of the user", (t) => {
  const home = mkdtempSync(join(tmpdir(), "berth-home-"));
  t.after(() => rmSync(home, { recursive: true }));
  const write = (directory: string, port: number) => {
    mkdirSync(join(home, directory, "berth"), { recursive: true });
    writeFileSync(join(home, directory, "berth/berth.yaml"), `port: ${port}`);
  };
  write(".config", 4303);
  assert.equal(readConfig({ HOME: home }).port, 4303);
  write("xdg", 4304);
  assert.equal(readConfig({ HOME: home, XDG_CONFIG_HOME: join(home, "xdg") }).port, 4304);
  assert.equal(readConfig({ HOME: home, BERTH_CONFIG: fileWith(t, "port: 4305") }).port, 4305);
  assert.equal(readConfig({ HOME: home, BERTH_CONFIG: "/dev/null" }).port, 4180);
});

test("settings file: lists, objects and paths", (t) => {
  const file = fileWith(
    t,
    `data_dir: state
models_file: /etc/models.json
git_http_hosts: [git.internal, "git.internal:8080"]
clone_retry_seconds: [1, 2.5]
metrics_public: yes
git_ca_files:
  - host: git.test
    ca_file: ca.pem
`,
  );
  const config = readConfig({ BERTH_CONFIG: file });
  assert.equal(config.dataDir, join(dirname(file), "state"));
  assert.equal(config.modelsFile, "/etc/models.json");
  assert.deepEqual(config.gitHttpHosts, ["git.internal", "git.internal:8080"]);
  assert.deepEqual(config.cloneRetrySeconds, [1, 2.5]);
  assert.equal(config.metricsPublic, "yes");
  assert.deepEqual(config.gitCaFiles, [{ host: "git.test", ca_file: join(dirname(file), "ca.pem") }]);
});

test("settings file: what is wrong in it is a sentence with the line; all are reported", (t) => {
  const cases: ReadonlyArray<[text: string, ...faults: string[]]> = [
    ["max_pidss: 5", "line 1: max_pidss is not a setting; the nearest is max_pids."],
    ["\nmax-pids: 50", "line 2: max-pids is not a setting; the nearest is max_pids."],
    ["completely_else: 1", "line 1: completely_else is not a setting."],
    ["port: 1\nport: 2", "line 2: the key occurs twice."],
    ["port:", "line 1: port has no value."],
    ["port: [1]", "line 1: port must be a single value."],
    ["git_http_hosts: {a: b}", "line 1: git_http_hosts must be a list."],
    ["- port", "line 1: the file must be a map of keys to values."],
    ["port: 1\n---\nport: 2", "line 2: the file must be one document."],
    ["port: 70000\nhsot: x", "line 2: hsot is not a setting; the nearest is host.", "line 1: port must be"],
    ["port: '4", "line 1: not valid YAML"],
    [
      "database_url: postgres://a/b\ndatabase_url_file: /x",
      "line 1: database_url cannot be used with database_url_file.",
    ],
    [
      "database_url_file: /nowhere/url",
      "line 1: database_url_file cannot be used: /nowhere/url cannot be read: no such file or directory.",
    ],
  ];
  for (const [text, ...expected] of cases) {
    const file = fileWith(t, text);
    const faults = faultsOf({ BERTH_CONFIG: file });
    assert.equal(faults.length, expected.length, `${text}: ${faults}`);
    for (const [index, fault] of faults.entries())
      assert.ok(fault.startsWith(`${file}, ${expected[index]}`), `${text}: ${fault}`);
  }
  const named = (flags: Record<string, string>) => faultsOf({}, flags)[0];
  assert.equal(named({ config: "/nowhere/b.yaml" }), "--config names /nowhere/b.yaml, which does not exist.");
  assert.equal(named({ config: "/etc" }), "The settings file /etc is a directory, and not a file.");
  assert.deepEqual(faultsOf({ BERTH_CONFIG: "" }), ["BERTH_CONFIG must not be empty."]);
});

test("settings file: a secret only where others cannot read it; nothing where others can write", (t) => {
  const file = fileWith(t, "database_url: postgres://a:hunter2@b/c\n");
  assert.equal(readConfig({ BERTH_CONFIG: file }).databaseUrl, "postgres://a:hunter2@b/c");
  const shown = describeSettings(readSettings({ BERTH_CONFIG: file }, {}, "/"));
  assert.doesNotMatch(JSON.stringify(shown), /hunter2/);
  assert.equal(shown.find(({ key }) => key === "database_url")?.value, "(set)");
  chmodSync(file, 0o644);
  assert.deepEqual(faultsOf({ BERTH_CONFIG: file }), [
    `${file}, line 1: database_url is a secret, but every user can read the file: run chmod o-rwx ${file}, or use database_url_file.`,
  ]);
  writeFileSync(file, "port: 4306");
  assert.equal(readConfig({ BERTH_CONFIG: file }).port, 4306);
  chmodSync(file, 0o666);
  assert.match(`${faultsOf({ BERTH_CONFIG: file })}`, /is writable by every user: run chmod o-w/);
});

test("variables that are no settings: told, with the nearest name; those of the client are known", () => {
  const known = { BERTH_URL: "", BERTH_TOKEN: "", BERTH_DATABASE_URL_FILE: "", BERTH_CONFIG: "", OTHER: "" };
  assert.deepEqual(unknownVariables({ ...known, BERTH_MAX_PIDSS: "1", BERTH_SOMETHING_ELSE: "" }), [
    "The variable BERTH_MAX_PIDSS is not a setting and has no effect; the nearest is BERTH_MAX_PIDS.",
    "The variable BERTH_SOMETHING_ELSE is not a setting and has no effect.",
  ]);
});

test("the guide lists each setting as the table has it", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/configuration.md", import.meta.url), "utf8");
  const rows = SETTING_LIST.map(([, setting]) => {
    const cells = [`\`${keyOf(setting.variable)}\``, setting.help, defaultOf(setting)];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const listed = guide.split("\n").filter((line) => /^\| `/.test(line));
  assert.deepEqual(listed, rows);
  assert.ok(SETTING_FLAGS.every(({ help }) => help.length > 10));
});

function fileWith(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-settings-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "berth.yaml");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function faultsOf(
  environment: Record<string, string>,
  flags: Record<string, string> = {},
): readonly string[] {
  try {
    readConfig(environment, flags);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
