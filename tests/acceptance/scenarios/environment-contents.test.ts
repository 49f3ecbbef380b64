import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { loopBackingFiles, missingForDiskLimits } from "../harness/loop-devices.ts";
import { type PipIndex, startPipIndex } from "../harness/pip-index.ts";
import { sharedSystem } from "../harness/root-filesystem.ts";
import { waitUntil } from "../harness/wait-until.ts";

const SYSTEM = sharedSystem();
const SKIP = SYSTEM.skip;
let directory: string;
let index: PipIndex;
let berth: Berth;
let api: Api;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "environment-contents-"));
  index = await startPipIndex(directory);
  berth = await Berth.start({
    settings: {
      ...SYSTEM.settings,
      BERTH_PIP_INDEX: index.url,
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: index.host, ca_file: index.caFile }]),
      BERTH_EGRESS_ALLOW_PRIVATE: `${index.host} deb.debian.org registry.npmjs.org`,
      BERTH_SANDBOX_IDLE_SECONDS: "0",
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await index.stop();
  await rm(directory, { recursive: true, force: true });
});

async function sessionWith(config: AnyJson, fields: AnyJson = {}): Promise<AnyJson> {
  const environment = await makeEnvironment(api, { config: { type: "cloud", ...config }, ...fields });
  return await makeSession(api, { environment_id: environment.id });
}

function errorsOf(events: AnyJson[]): AnyJson[] {
  return events.filter(({ type }) => type === "session.error").map(({ error }) => error);
}

covers(
  ["environment-package-names"],
  "packages and setup_script: stored as given, changed separately, and cleared with null",
  async () => {
    const packages = {
      apt: ["jq", "g++", "libssl3=3.0.15-1~deb12u1"],
      npm: ["typescript@5.4.2", "@types/node", "left-pad@latest"],
      pip: ["requests==2.32.3", "uvicorn[standard]", "Flask_Login"],
    };
    const made = await makeEnvironment(api, { config: { type: "cloud", packages, setup_script: "true\n" } });
    assert.deepEqual(made.config.packages, packages);
    assert.equal(made.config.setup_script, "true\n");
    const change = async (config: AnyJson) =>
      (await api.ok("POST", `/environments/${made.id}`, { config: config && { type: "cloud", ...config } }))
        .config;
    const kept = await change({ packages: { npm: null, pip: ["six"] } });
    assert.deepEqual(kept.packages, { apt: packages.apt, npm: [], pip: ["six"] });
    assert.equal(kept.setup_script, "true\n");
    assert.deepEqual(await change({ setup_script: null }), { ...kept, setup_script: null });
    const none = await change({ packages: null });
    assert.deepEqual(none.packages, { apt: [], npm: [], pip: [] });
    assert.deepEqual(await change(null as unknown as AnyJson), none);
  },
);

covers(
  ["environment-package-names"],
  "package names and scripts: invalid values are rejected with 400 and their position",
  async () => {
    const bad = {
      apt: [
        "",
        "-y",
        "--allow-downgrades",
        "jq-",
        "jq jq",
        "jq/sid",
        "./x.deb",
        "/tmp/x.deb",
        "jq=",
        "Jq",
        "lib*",
        "a^",
        "jq;id",
        "jq\n",
      ],
      npm: [
        "",
        "-g",
        "--prefix=/",
        "../x",
        "/x",
        "./x",
        "https://a.example/x.tgz",
        "a/b",
        "git+ssh://a.example",
        "@a",
        "a@file:x",
        "a@npm:b",
        "a b",
        "$(id)",
      ],
      pip: [
        "",
        "-r",
        "--index-url=https://a.example",
        "./x",
        "/x",
        "x.whl/",
        "git+https://a.example",
        "a @ https://a.example",
        "a==",
        "a>=1",
        "a;b",
        "a[",
        "-e.",
      ],
    };
    for (const [manager, names] of Object.entries(bad))
      for (const name of names) {
        const response = await api.post("/environments", {
          name: "bad",
          config: { type: "cloud", packages: { [manager]: ["ok", name] } },
        });
        assertError(response, 400, "invalid_request_error", { param: `config.packages.${manager}[1]` });
      }
    const many = Array.from({ length: 101 }, (_, count) => `p${count}`);
    const tooMany = await api.post("/environments", {
      name: "bad",
      config: { type: "cloud", packages: { apt: many } },
    });
    assertError(tooMany, 400, "invalid_request_error", { param: "config.packages.apt" });
    for (const script of ["x".repeat(65_537), "é".repeat(40_000), "a\0b"]) {
      const response = await api.post("/environments", {
        name: "bad",
        config: { type: "cloud", setup_script: script },
      });
      assertError(response, 400, "invalid_request_error", { param: "config.setup_script" });
    }
  },
);

covers(
  ["environment-packages"],
  "packages: sessions have the apt, npm and pip packages, which are installed once",
  async () => {
    const packages = { apt: ["hello"], npm: ["semver@7.6.3"], pip: ["berth-sample==1.0"] };
    const session = await sessionWith({ packages });
    const use =
      "hello --version; semver --help | head -1; berth-sample; head -1 /etc/os-release; touch /usr/x 2>&1";
    const events = await runTurn(api, session.id, bash(use));
    assert.deepEqual(errorsOf(events), []);
    const progress = events.filter(({ type }) => type === "session.environment_progress");
    const phases = progress.filter(({ seconds }) => seconds !== null).map(({ phase }) => phase);
    assert.deepEqual(
      progress.map(({ phase }) => phase),
      phases.flatMap((phase) => [phase, phase]),
    );
    assert.deepEqual(
      phases.filter((phase) => phase !== "system"),
      ["apt_packages", "npm_packages", "pip_packages"].filter((phase) => phases.includes(phase)),
    );
    assert.ok(phases.includes("apt_packages"), `${phases}`);
    const [seen] = toolResults(events);
    for (const word of [/GNU Hello/, /^SemVer 7\.6\.3$/m, /sample of pip/, /trixie/, /Read-only file system/])
      assert.match(seen ?? "", word);
    const requestCount = index.requests.length;
    assert.ok(requestCount > 0);
    const other = await sessionWith({ packages: { ...packages, apt: ["hello", "hello"] } });
    assert.match(toolResults(await runTurn(api, other.id, bash("berth-sample")))[0] ?? "", /sample of pip/);
    assert.equal(index.requests.length, requestCount);
    const plain = await makeSession(api);
    assert.match(
      toolResults(await runTurn(api, plain.id, bash("command -v hello berth-sample || echo none")))[0] ?? "",
      /none/,
    );
  },
  SKIP,
);

covers(
  ["environment-waits"],
  "progress events: recorded while the first session waits; the second does not wait",
  async () => {
    const isProgress = ({ type }: AnyJson) => type === "session.environment_progress";
    const config = { setup_script: "sleep 3; echo made >/etc/made" };
    const session = await sessionWith(config);
    const events = await runTurn(api, session.id, bash("cat /etc/made"));
    assert.match(toolResults(events)[0] ?? "", /^made/);
    const [start, end, ...more] = events.filter(isProgress);
    assert.deepEqual(more, []);
    assert.deepEqual([start?.phase, start?.seconds, end?.phase], ["setup_script", null, "setup_script"]);
    assert.ok(end?.seconds >= 3 && end?.seconds < 60, `${end?.seconds}`);
    // The start was recorded while the session waited.
    assert.ok(Date.parse(end?.created_at) - Date.parse(start?.created_at) >= 500);
    assert.ok(
      events.findIndex(({ type }) => type === "session.container_started") > events.indexOf(end ?? {}),
    );
    const path = `/sessions/${session.id}/events?types[]=session.environment_progress`;
    assert.deepEqual((await api.ok("GET", path)).data, [start, end]);
    const twin = await sessionWith(config);
    assert.ok(!(await runTurn(api, twin.id, bash("cat /etc/made"))).some(isProgress));
  },
  SKIP,
);

covers(
  ["environment-fault"],
  "unknown packages: environment_error with the package manager's output, and the session continues",
  async () => {
    const session = await sessionWith({ packages: { apt: ["berth-no-such-package"], npm: ["semver"] } });
    let opened = 0;
    for (let turns = 0; opened < 2; turns++) {
      assert.ok(turns < 200, "the sandbox was not opened again");
      const events = await runTurn(api, session.id, bash("echo goes on"));
      const [seen] = toolResults(events);
      assert.match(seen ?? "", /goes on/);
      // The previous sandbox may still be open.
      if (!events.some(({ type }) => type === "session.container_started")) continue;
      opened += 1;
      const [fault, ...more] = errorsOf(events);
      assert.deepEqual(more, []);
      assert.deepEqual([fault?.type, fault?.retry_status.type], ["environment_error", "exhausted"]);
      assert.match(fault?.message, /without its environment's apt packages and npm packages.*exit code 100/);
      assert.match(fault?.message, /E: Unable to locate package berth-no-such-package$/);
      assert.match(seen ?? "", /goes on.*without its environment's apt packages/s);
    }
  },
  SKIP,
);

covers(
  ["environment-fault"],
  "one unknown package among others: it is named, and the session has the others",
  async () => {
    const session = await sessionWith({ packages: { apt: ["hello", "berth-no-such-package"] } });
    const events = await runTurn(api, session.id, bash("hello"));
    const [fault, ...more] = errorsOf(events);
    assert.deepEqual([fault?.type, more], ["environment_error", []]);
    assert.match(
      fault?.message,
      /^The session runs without the apt package berth-no-such-package of its environment\. The end of its output:\nE: Unable to locate package berth-no-such-package$/,
    );
    assert.match(toolResults(events)[0] ?? "", /^Hello, world!.*without the apt package /s);
  },
  SKIP,
);

covers(
  ["environment-setup-script"],
  "setup script: runs once as root with the environment's networking and variables",
  async () => {
    const script = [
      "#!/bin/bash",
      "set -euo pipefail",
      `curl -sf https://${index.host}/simple/berth-sample/ >/opt/page`,
      "! curl -s -m 5 https://deb.debian.org/",
      'echo "$GREETING $(id -u)" >/etc/greeting',
      "mkdir -p ~/.config/tool && echo chosen >~/.config/tool/settings && chmod 600 ~/.config/tool/settings",
      "install -m 755 /dev/stdin /usr/local/bin/greet <<< $'#!/bin/sh\\ncat /etc/greeting; jq -r .a /opt/json'",
      'echo \'{"a": "from jq"}\' >/opt/json',
    ].join("\n");
    const config = { networking: { type: "limited", allowed_hosts: [index.host] }, setup_script: script };
    const fields = { environment_variables: { GREETING: "hello there" } };
    const session = await sessionWith(config, fields);
    const use =
      "greet; cat ~/.config/tool/settings; echo changed >~/.config/tool/settings; grep -c berth_sample /opt/page";
    const events = await runTurn(api, session.id, bash(use));
    assert.deepEqual(errorsOf(events), []);
    assert.ok(events.some(({ type, host }) => type === "session.egress_denied" && host === "deb.debian.org"));
    assert.match(toolResults(events)[0] ?? "", /hello there 0\nfrom jq\nchosen\n1/);
    const requestCount = index.requests.length;
    const later = await runTurn(api, session.id, bash("cat ~/.config/tool/settings"));
    assert.match(toolResults(later)[0] ?? "", /changed/);
    const twin = await sessionWith(config, fields);
    assert.match(
      toolResults(await runTurn(api, twin.id, bash("cat ~/.config/tool/settings")))[0] ?? "",
      /chosen/,
    );
    assert.equal(index.requests.length, requestCount);
  },
  SKIP,
);

covers(
  ["environment-fault"],
  "setup script that fills its disk: the error says so, and no layer remains",
  async () => {
    const layers = () => readdirSync(join(berth.dataDir, "layers")).sort();
    const before = layers();
    // fallocate is fast, since it only allocates most of the space.
    const setup_script = "fallocate -l 3900M /opt/most\nhead -c 1G /dev/urandom >/opt/rest\necho never";
    const session = await sessionWith({ setup_script });
    const events = await runTurn(api, session.id, bash("ls /opt; echo goes on"));
    const [fault, ...more] = errorsOf(events);
    assert.deepEqual(more, []);
    assert.deepEqual([fault?.type, fault?.retry_status.type], ["environment_error", "exhausted"]);
    assert.match(
      fault?.message,
      /without its environment's setup script.*it filled its disk, which holds 4096 MiB.*No space left on device$/s,
    );
    assert.match(toolResults(events)[0] ?? "", /goes on/);
    assert.doesNotMatch(toolResults(events)[0] ?? "", /most|rest/);
    assert.deepEqual(layers(), before);
    await waitUntil(
      () => loopBackingFiles(join(berth.dataDir, "layers")).length === 0,
      () => "a loop device remains",
    );
  },
  SKIP || missingForDiskLimits(),
);

covers(
  ["environment-fault", "environment-setup-script"],
  "failed setup script: the error contains no values of variables",
  async () => {
    const setup_script = 'echo first\necho "the key is $KEY"\nls /no-such-place\necho never';
    const session = await sessionWith({ setup_script }, { environment_variables: { KEY: "canary-4471-x" } });
    const events = await runTurn(api, session.id, bash("echo goes on"));
    const [fault] = errorsOf(events);
    assert.equal(fault?.type, "environment_error");
    assert.match(
      fault?.message,
      /without its environment's setup script.*first\nthe key is \[redacted\]\n.*no-such-place.*No such file/s,
    );
    assert.doesNotMatch(fault?.message, /never|canary/);
    assert.match(toolResults(events)[0] ?? "", /goes on/);
  },
  SKIP,
);
