import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  runTurn,
  steps,
  toolResults,
} from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { commandOf, isAlive, killRunner } from "./processes.ts";

let host: GitHost;
before(async () => {
  host = await startGitHost();
  await host.createRepository({ org: "acme", name: "it", private: false, files: { "a.txt": "a\n" } });
});
after(() => host.stop());

async function open(api: Api, environment: AnyJson): Promise<AnyJson> {
  const agent = await makeAgent(api);
  const resources = [{ type: "git_repository", url: `${host.url}/acme/it`, mount_path: "/data/it" }];
  return await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

async function shown(api: Api, environment: AnyJson): Promise<string | undefined> {
  const session = await open(api, environment);
  const events = await runTurn(
    api,
    session.id,
    bash("(cd it && cat made && git fsck && git status --short)"),
  );
  return toolResults(events)[0]?.trim();
}

const config = (repository_setup_script: string) => ({ config: { type: "cloud", repository_setup_script } });
const snapshotsOf = ({ dataDir }: Berth) =>
  globSync(join(dataDir, "repositories/snapshots/*-*")).map((path) => basename(path));
const processOf = (command: string) =>
  globSync("/proc/[0-9]*")
    .map((path) => Number(basename(path)))
    .find((pid) => commandOf(pid).trim() === command);

for (const [part, hangs] of [
  ["service", "sleep 36001"],
  ["runner", "sleep 36002"],
] as const) {
  test(`${part} killed while a repository is set up: nothing of it is left or used, and the next session has it set up`, {
    timeout: 600_000,
  }, async (t) => {
    const settings = providerSettings(host);
    let berth = await Berth.start({ settings });
    t.after(() => berth.stop());
    let api = await berth.client();
    const environment = await makeEnvironment(api, config(`echo cut >made\n${hangs}`));
    const first = await open(api, environment);
    await api.ok("POST", `/sessions/${first.id}/events`, { events: [steps(bash("cat it/made"))] });
    await waitUntil(
      () => processOf(hangs) !== undefined,
      () => `no script runs: ${berth.log.slice(-1_000)}`,
    );
    const running = processOf(hangs) ?? 0;
    const partial = globSync(join(berth.dataDir, "repositories/snapshots/*/disk*"));
    assert.equal(partial.length, 1);
    const name = basename(join(partial[0] ?? "", ".."));
    if (part === "runner") await killRunner(berth);
    else {
      await berth.kill("SIGKILL");
      berth = await Berth.start({ dataDir: berth.dataDir, settings });
      api = await berth.client();
    }
    await waitUntil(
      () => !isAlive(running),
      () => "the script still runs",
    );
    await waitUntil(
      () => !snapshotsOf(berth).includes(name),
      () => `what was cut off is left: ${snapshotsOf(berth)}`,
    );
    const script = "mkdir deps; mv a.txt deps; cat /proc/sys/kernel/random/uuid >made";
    await api.ok("POST", `/environments/${environment.id}`, config(script));
    const one = await shown(api, environment);
    assert.match(one ?? "", /^[0-9a-f-]{36}\n D a\.txt\n\?\? deps\/\n\?\? made$/);
    assert.equal(await shown(api, environment), one);
    await berth.kill("SIGTERM");
    assert.equal(snapshotsOf(berth).length, 2, "the plain snapshot, and the one that was set up");
  });
}
