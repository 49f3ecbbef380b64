import assert from "node:assert/strict";
import type { AnyJson, Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedGitService } from "../harness/shared-service.ts";

const { host, api } = await sharedGitService("quick");
const agent = await makeAgent(api);

/** Creates a repository. */
async function repositoryOf(name: string): Promise<Json> {
  await host.createRepository({ org: "acme", name, private: true, files: { one: "1\n" } });
  return {
    type: "hosted_repository",
    url: `${host.url}/acme/${name}`,
    authorization_token: host.createToken({ user: "robot", permissions: "write" }),
  };
}

async function sessionWith(script: string, resources: Json[]): Promise<AnyJson> {
  const config = { type: "cloud", repository_setup_script: script };
  const environment = await makeEnvironment(api, { config });
  return await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

/** Runs a command in the session and returns what it printed, by lines. */
async function lines({ id }: AnyJson, command: string): Promise<string[]> {
  const events = await runTurn(api, id, bash(command));
  assert.deepEqual(
    events.filter(({ type }) => type === "session.error"),
    [],
  );
  const text = toolResults(events).at(-1) ?? "";
  return text
    .replace(/\n?\[.*/s, "")
    .trim()
    .split("\n");
}

/** Runs a command in a new session with the script. */
async function after(script: string, resources: Json[], command: string): Promise<string[]> {
  return await lines(await sessionWith(script, resources), command);
}

const push = (repository: Json, command: string) =>
  after(":", [repository], `cd "$(ls -d /data/*/)" && ${command}`);
const COMMIT = "git commit -q --allow-empty -m moved && git push -q origin HEAD && echo pushed";
const fetched = (path: string) =>
  `mkdir -p ${path}; cat /proc/sys/kernel/random/uuid >${path}/$(ls ${path} | wc -l)`;

covers(
  ["package-caches"],
  "package caches: what a setup script fetched is there in later sessions, each with changes of its own",
  async () => {
    const app = await repositoryOf("cached");
    const script = `${fetched("~/.npm/_cacache")}; ${fetched("~/.m2/repository")}; ${fetched("~/elsewhere")}
      touch ~/.npm/old; chmod 444 ~/.npm/old; mkdir -p ~/.cargo && ln -s /etc ~/.cargo/registry; echo x >~/.gradle`;
    const one = await sessionWith(script, [app]);
    const show =
      "cat ~/.npm/_cacache/* ~/.m2/repository/*; ls ~ ~/.npm; stat -c %U ~/.npm/old; ls -d ~/.cargo ~/.gradle 2>/dev/null";
    const first = await lines(one, show);
    assert.match(first.slice(0, 2).join(), /^[0-9a-f-]{36},[0-9a-f-]{36}$/);
    assert.deepEqual(first.slice(2), ["/home/agent:", "", "/home/agent/.npm:", "_cacache", "old", "agent"]);
    const another = await sessionWith(script, [app]);
    assert.deepEqual(await lines(another, show), first);
    await lines(one, "rm ~/.npm/old; echo mine >~/.npm/_cacache/0; echo new >~/.npm/new; echo ok");
    const look = "cat ~/.npm/_cacache/0; ls ~/.npm";
    assert.deepEqual(await lines(one, look), ["mine", "_cacache", "new"]);
    assert.deepEqual(await lines(another, look), [first[0], "_cacache", "old"]);
    assert.deepEqual((await after(":", [app], "ls -A ~"))[0], ".local");
  },
);

covers(
  ["package-caches"],
  "package caches: two repositories with the same cache → the session has what both fetched",
  async () => {
    const [left, right] = [await repositoryOf("left"), await repositoryOf("right")];
    const script =
      "name=$(basename $BERTH_REPOSITORY); mkdir -p ~/.npm; echo $name >~/.npm/$name; echo x >~/.npm/both";
    const session = await sessionWith(script, [left, right]);
    assert.deepEqual(await lines(session, "cat ~/.npm/left ~/.npm/right; ls ~/.npm; rm ~/.npm/left"), [
      ...["left", "right", "both", "left", "right"],
    ]);
    assert.deepEqual(await lines(session, "ls ~/.npm"), ["both", "right"]);
  },
);

covers(
  ["package-caches"],
  "package caches: the script for a newer commit begins with those of the last, on the same branch alone",
  async () => {
    const app = await repositoryOf("moving");
    const script = `${fetched("~/.npm")}; rm -f ~/.npm/gone; [ $(ls ~/.npm | wc -l) -gt 1 ] || touch ~/.npm/gone`;
    const show = "cat ~/.npm/*; ls ~/.npm";
    const [first, ...names] = await after(script, [app], show);
    assert.deepEqual(names, ["0", "gone"]);
    await push(app, COMMIT);
    const second = await after(script, [app], show);
    assert.deepEqual([second[0], ...second.slice(2)], [first, "0", "2"]);
    await push(app, `git checkout -q -b side && ${COMMIT}`);
    const side = await after(
      script,
      [{ ...(app as AnyJson), checkout: { type: "branch", name: "side" } }],
      show,
    );
    assert.ok(!side.includes(first ?? ""));
    assert.deepEqual(side.slice(1), ["0", "gone"]);
    const third = await after(script, [app], show);
    assert.deepEqual([third[0], ...third.slice(2)], [first, "0", "2"]);
    assert.notEqual(third[1], second[1]);
  },
);

covers(
  ["package-caches"],
  "package caches: a commit that they were made from is gone, or the script fails with them → it begins without them",
  async () => {
    const app = await repositoryOf("rewritten");
    const script = fetched("~/.npm");
    const [first] = await after(script, [app], "cat ~/.npm/*");
    await push(app, "git commit -q --amend -m rewritten && git push -q --force origin HEAD && echo pushed");
    const rewritten = await after(script, [app], "cat ~/.npm/*");
    assert.equal(rewritten.length, 1);
    assert.notEqual(rewritten[0], first);
    const fails =
      "[ ! -e ~/.npm/made ] || exit 3; mkdir -p ~/.npm; cat /proc/sys/kernel/random/uuid >~/.npm/made";
    const before = await after(fails, [app], "cat ~/.npm/made");
    await push(app, COMMIT);
    const again = await after(fails, [app], "cat ~/.npm/made");
    assert.match(again.join(), /^[0-9a-f-]{36}$/);
    assert.notDeepEqual(again, before);
  },
);
