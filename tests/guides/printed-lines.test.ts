import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { printedLines } from "./printed-lines.ts";

/** Lines that need a machine of their own, by the test that runs each as printed. */
const RUN: Record<string, Record<string, readonly string[]>> = {
  "installing.md": {
    "tests/systemd/debian-package.test.ts": [
      "systemctl restart",
      "systemctl status",
      "journalctl",
      "runuser -u berth -- berth bootstrap",
      "runuser -u berth -- berth doctor",
      "berth install --systemd --dry-run",
      "berth install --systemd",
      "berth install --systemd --role runner",
      "berth uninstall --systemd",
      "berth uninstall --systemd --purge",
    ],
  },
};

/** Lines that no test can run as printed, with the reason and the test of an equivalent. */
const IN_OTHER_WORDS: Record<string, Record<string, string>> = {
  "cli.md": {
    "berth login https://berth.example.com":
      "The address is an example's; device-login.test.ts logs in by device.",
    "berth login approve": "The code is an example's; device-login.test.ts approves one.",
    "berth serve": "The directory is the reader's; every acceptance test starts the service so.",
    "berth bootstrap": "The directory is the reader's; every acceptance test makes its token so.",
  },
  "environments.md": {
    "berth environments create":
      "The versions are those of public registries; runtimes.test.ts chooses from a registry of its own.",
  },
  "installing.md": {
    "apt install":
      "The machine of the tests has no network for what the package recommends; debian-package.test.ts installs it by dpkg.",
    "npx berth doctor": "berth-package.test.ts runs the installed program by its path.",
    "npx berth up": "berth-package.test.ts runs the README's line with a port of its own.",
    "npx berth serve": "berth-package.test.ts runs the installed program by its path.",
    "npm install": "There is no registry with it; berth-package.test.ts installs the packed file by npm.",
    "install -D": "debian-package.test.ts starts a unit that has the same lines.",
    "systemctl daemon-reload": "debian-package.test.ts starts a unit that has the same lines.",
    "deploy/image/build": "image.test.ts names another engine and image.",
    "docker build": "It needs a registry, which the tests have not.",
    "docker run": "The engine of image.test.ts has no bridge to publish ports of.",
    "docker exec berth berth doctor": "image.test.ts names another engine.",
    "docker exec berth berth bootstrap": "image.test.ts names another engine.",
    "docker compose --file deploy/compose.yaml up": "compose-tests.ts names another engine and images.",
    "docker compose --file deploy/compose.yaml exec": "compose-tests.ts has no terminal, and says so by -T.",
    "docker compose --file deploy/compose.yaml down": "compose-tests.ts names another engine and images.",
    "docker compose --file deploy/compose-roles.yaml up": "compose-tests.ts names another engine and images.",
    "deploy/postgres-image/build": "compose-tests.ts names another engine and image.",
  },
  "kubernetes.md": {
    tar: "The archive is in the reader's directory; applied.test.ts unpacks that of a release.",
    kubectl:
      "The cluster is the reader's; applied.test.ts runs those without Helm, and tests/kubernetes asks the API server of one itself.",
    docker: "It needs a registry, which the tests have not.",
    "berth health": "health.test.ts asks a service so, and installed.test.ts one of the chart.",
    "berth run": "It needs a model; real-service.test.ts runs one of rehearsal.",
    "berth tokens create": "Its token goes into a Secret of the reader's cluster.",
    "berth environments update":
      "What it changes is seen in pods; pods.test.ts enlarges a volume, and installed.test.ts has an environment with one host.",
    "berth sessions logs": "It ends when the reader ends it; real-service.test.ts reads a log.",
    run: "Pods of the reader's cluster are looked at; it is the same that the guide's blocks run.",
    export: "The reader's token.",
    helm: "It is not to be had here; tests/kubernetes/chart renders the chart, and compares it with Helm's where there is one.",
  },
  "many-machines.md": {
    setpriv: "The user is an example's; roles.test.ts starts an API so.",
    "berth serve --role runner": "The settings are an example's; roles.test.ts starts runners so.",
    "berth admin hosts drain": "It needs a second machine; two-machines.test.ts drains one.",
    "berth admin hosts list": "It needs a second machine; homes.test.ts lists them.",
    "berth admin hosts forget": "It needs a second machine; homes.test.ts forgets one.",
  },
  "repositories.md": {
    "berth admin organizations set":
      "The organization is the reader's; admin.test.ts runs it, and git-identity.test.ts verifies what is signed.",
  },
  "sandbox-engines.md": {
    "docker build": "It needs a registry, which the tests have not.",
    "deploy/sandbox-image/build": "The tests of the container engine name another engine and image.",
  },
  "workspace.md": {
    "berth sessions pr":
      "It needs a model that opens a pull request; workspace.test.ts runs it with one that answers so, and --status.",
  },
};

const ROOT = join(import.meta.dirname, "../..");

for (const guide of readdirSync(join(ROOT, "docs/guides"))) {
  test(`${guide}: each line outside of the shell blocks is run by a test, or has a reason`, () => {
    const run = Object.values(RUN[guide] ?? {}).flat();
    const listed = [...run, ...Object.keys(IN_OTHER_WORDS[guide] ?? {})];
    const lines = printedLines(guide);
    const isOf = (begin: string) => (line: string) => line === begin || line.startsWith(`${begin} `);
    const unlisted = lines.filter((line) => !listed.some((begin) => isOf(begin)(line)));
    assert.deepEqual(unlisted, []);
    assert.deepEqual(
      listed.filter((begin) => !lines.some(isOf(begin))),
      [],
      "listed, and not in the guide",
    );
  });
}

test("each test runs the lines that are listed for it", () => {
  for (const [guide, tests] of Object.entries(RUN))
    for (const [file, begins] of Object.entries(tests)) {
      const source = readFileSync(join(ROOT, file), "utf8");
      for (const begin of begins)
        assert.ok(source.includes(`printed("${begin}")`), `${file} does not run "${begin}" of ${guide}`);
    }
});
