import assert from "node:assert/strict";
import type { AnyJson, Api, Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { sharedGitService } from "../harness/shared-service.ts";

const { host, api } = await sharedGitService("quick");
for (const name of ["app", "lib"])
  await host.createRepository({ org: "acme", name, private: true, files: { ".gitignore": "deps/\n" } });

const repository = (name: string, fields: AnyJson = {}): Json => ({
  type: "hosted_repository",
  url: `${host.url}/acme/${name}`,
  authorization_token: host.createToken({ user: "robot", permissions: "write" }),
  ...fields,
});

async function sessionWith(
  config: AnyJson,
  resources: Json[],
  fields: AnyJson = {},
  client = api,
): Promise<AnyJson> {
  const [agent, environment] = await Promise.all([
    makeAgent(client),
    makeEnvironment(client, { config: { type: "cloud", ...config }, ...fields }),
  ]);
  return await client.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

const errorsOf = (events: AnyJson[]): AnyJson[] =>
  events.filter(({ type }) => type === "session.error").map(({ error }) => error);

const INSTALL = `#!/bin/bash
mkdir deps && echo "$(id -un) $LEVEL \${BERTH_REPOSITORY##*/} \${PWD##*/}" >>deps/installed
env | grep -c -e TOKEN -e PASSWORD >>deps/installed; true`;

covers(
  ["repository-setup-script"],
  "repository_setup_script: the script has run in each repository before the first command, and runs once",
  async () => {
    const resources = [repository("app"), repository("lib", { mount_path: "/data/inner/lib" })];
    const config = { repository_setup_script: INSTALL };
    const session = await sessionWith(config, resources, { environment_variables: { LEVEL: "high" } });
    const show =
      "cat /data/app/deps/installed /data/inner/lib/deps/installed; git -C /data/app status --short";
    const expected = ["agent high app app", "0", "agent high lib lib", "0"];
    for (let turn = 0; turn < 2; turn += 1) {
      const events = await runTurn(api, session.id, bash(show));
      assert.deepEqual(toolResults(events).at(-1)?.split("\n").slice(0, 4), expected);
      assert.deepEqual(errorsOf(events), []);
    }
  },
);

covers(
  ["repository-setup-snapshot"],
  "repository_setup_script: its result is shared by sessions of the organization until the script or the repository changes",
  async () => {
    const made = async (script: string) => {
      const session = await sessionWith({ repository_setup_script: script }, [repository("app")]);
      const events = await runTurn(api, session.id, bash("cat app/deps/made; echo mine >app/deps/made"));
      assert.deepEqual(errorsOf(events), []);
      return toolResults(events).at(-1)?.split("\n")[0];
    };
    const script = "mkdir deps; cat /proc/sys/kernel/random/uuid >deps/made";
    const [one, another] = await Promise.all([made(script), made(script)]);
    assert.match(one ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(another, one);
    assert.equal(await made(script), one);
    const changed = await made(`${script}; true`);
    assert.notEqual(changed, one);
    const mover = await sessionWith({}, [repository("app")]);
    await runTurn(api, mover.id, bash("cd app && git commit -q --allow-empty -m moved && git push -q"));
    const moved = await made(script);
    assert.ok(moved !== one && moved !== changed);
  },
);

covers(
  ["repository-setup-fault"],
  "repository_setup_script fails: the end of its output is reported without values of variables, and the session continues",
  async () => {
    const script = "echo begun >deps.txt\ncurl -s http://other.example/\necho no $PASS\nexit 7";
    const config = {
      networking: { type: "limited" },
      repository_setup_script: `#!/bin/sh\n${script}`,
    };
    const variables = { PASS: "correct-horse-battery" };
    const session = await sessionWith(config, [repository("app")], { environment_variables: variables });
    const events = await runTurn(api, session.id, bash("git -C app log --format=%s"));
    const [error, ...more] = errorsOf(events);
    assert.deepEqual(more, []);
    assert.equal(error.type, "environment_error");
    assert.deepEqual(error.retry_status, { type: "exhausted" });
    assert.equal(error.resource_id, session.resources[0].id);
    assert.match(error.message, /it ended with exit code 7\. The end of its output:\nno \[[a-z]+\]$/);
    assert.ok(!JSON.stringify(events).includes(variables.PASS));
    assert.match(JSON.stringify(events), /"text":"\[The setup script of the repository/);
    const denied = events.filter(({ type }) => type === "session.egress_denied").map(({ host }) => host);
    assert.deepEqual(denied, ["other.example"]);
  },
);

const FAILING = {
  repository_setup_script: "mkdir -p locked/in; chmod 500 locked; echo begun >deps.txt; false",
  repository_setup_required: true,
};
const MENDED = { config: { type: "cloud", repository_setup_script: "echo mended >>deps.txt" } };

/**
 * Creates a session whose required setup fails. Asserts that nothing of the repository remains, and that one
 * error reports it.
 */
async function failedSession(client: Api): Promise<AnyJson> {
  const session = await sessionWith(FAILING, [repository("app")], {}, client);
  const events = await runTurn(client, session.id, bash("find /data -mindepth 2 | wc -l"));
  const [error, ...more] = errorsOf(events);
  assert.deepEqual(more, []);
  assert.equal(error.type, "environment_error");
  assert.deepEqual(error.retry_status, { type: "terminal" });
  assert.ok(!error.message.includes("could not be removed"), error.message);
  assert.match(toolResults(events).at(-1) ?? "", /^0/);
  return session;
}

async function assertMended(client: Api, { id }: AnyJson): Promise<void> {
  const events = await runTurn(client, id, bash("cat app/deps.txt; git -C app status --short"));
  assert.match(toolResults(events).at(-1) ?? "", /^mended\n\?\? deps\.txt/);
}

covers(
  ["repository-setup-fault"],
  "repository_setup_required: a required setup fails → the repository is not there until a retry sets it up",
  async () => {
    const session = await failedSession(api);
    await api.ok("POST", `/environments/${session.environment_id}`, MENDED);
    const resource = session.resources[0].id;
    await api.ok("POST", `/sessions/${session.id}/resources/${resource}`, { retry: true });
    await assertMended(api, session);
  },
);

covers(
  ["repository-setup-script", "repository-setup-fault"],
  "repository setup without snapshots: the script runs in the session; a required one that failed runs again once it was mended",
  async (t) => {
    const plain = await servicesOf(t)({ settings: { ...providerSettings(host), BERTH_SNAPSHOTS_MB: "0" } });
    const client = await plain.client();
    const session = await failedSession(client);
    await client.ok("POST", `/environments/${session.environment_id}`, MENDED);
    await assertMended(client, session);
  },
);
