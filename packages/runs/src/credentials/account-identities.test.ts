import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionRepository } from "../inputs/placement.ts";
import { AccountIdentities } from "./account-identities.ts";

const PROVIDERS = [
  { host: "github.com", api: "https://api.github.com", token_env: ["GH_TOKEN"] },
  { host: "forge.example:8443", token_env: ["GH_TOKEN"] },
  { host: "lab.example", token_env: ["GITLAB_TOKEN"] },
];
const ANN = { id: 7, login: "ann", name: "Ann" };

function repository(url: string, secret: string | null = "token"): SessionRepository {
  return { type: "hosted_repository", url, mountPath: "/data/a", username: null, secret };
}

/** Creates identities whose hosts respond as `answer` does, and records the requests. */
function accounts(answer: (url: string) => Response | Promise<Response>) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const fetch = async (url: string | URL, init?: RequestInit) => {
    asked.push(`${url} ${new Headers(init?.headers).get("authorization")}`);
    return await answer(String(url));
  };
  return { asked, clock, identities: new AccountIdentities(fetch, PROVIDERS, () => clock.now) };
}

const json = (body: unknown) => () => new Response(JSON.stringify(body));

test("account: GitHub and GitHub Enterprise → the account's name and its address at the host that attributes commits", async () => {
  const { asked, identities } = accounts(json(ANN));
  assert.deepEqual(await identities.of(repository("https://github.com/a/b")), {
    name: "Ann",
    email: "7+ann@users.noreply.github.com",
  });
  assert.deepEqual(await identities.of(repository("https://forge.example:8443/a/b")), {
    name: "Ann",
    email: "7+ann@users.noreply.forge.example",
  });
  assert.deepEqual(asked, [
    "https://api.github.com/user Bearer token",
    "https://forge.example:8443/api/v3/user Bearer token",
  ]);
});

test("account: another provider, a generic repository, no token → no request", async () => {
  const { asked, identities } = accounts(json(ANN));
  for (const one of [
    repository("https://lab.example/a/b"),
    repository("https://unknown.example/a/b"),
    { ...repository("https://github.com/a/b"), type: "git_repository" as const },
    repository("https://github.com/a/b", null),
  ])
    assert.equal(await identities.of(one), null);
  assert.deepEqual(asked, []);
});

test("account: asked once for a token, at the same time too; again after an hour, for another token, and a minute after a failure", async () => {
  let fails = false;
  const { asked, clock, identities } = accounts(() => {
    if (fails) throw new Error("down");
    return json(ANN)();
  });
  const own = repository("https://github.com/a/b");
  await Promise.all([
    identities.of(own),
    identities.of(own),
    identities.of(repository("https://github.com/a/c")),
  ]);
  assert.equal(asked.length, 1);
  await identities.of(repository("https://github.com/a/b", "other"));
  assert.equal(asked.length, 2);
  fails = true;
  clock.now = 3_600_000;
  assert.equal(await identities.of(own), null);
  assert.equal(await identities.of(own), null);
  assert.equal(asked.length, 3);
  fails = false;
  clock.now += 60_000;
  assert.equal((await identities.of(own))?.name, "Ann");
  assert.equal(asked.length, 4);
});

const useless: readonly [string, () => Response][] = [
  ["401", () => new Response(JSON.stringify(ANN), { status: 401 })],
  ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } })],
  ["no JSON", () => new Response("<html>")],
  ["no account", json(null)],
  ["no id", json({ login: "ann" })],
  ["an id that is no number", json({ ...ANN, id: "7\n[core]" })],
  ["a login with a line break", json({ ...ANN, login: "ann\n[core]\n\tfsmonitor = x" })],
  ["an endless answer", () => new Response("[".repeat(1024 * 1024))],
];
for (const [what, answer] of useless) {
  test(`account: ${what} → none`, async () => {
    assert.equal(await accounts(answer).identities.of(repository("https://github.com/a/b")), null);
  });
}

test("account: a name that git cannot have → the login", async () => {
  for (const name of [null, "", "Ann\n[core]", "<ann>", "."]) {
    const person = await accounts(json({ ...ANN, name })).identities.of(repository("https://github.com/a/b"));
    assert.deepEqual(person, { name: "ann", email: "7+ann@users.noreply.github.com" });
  }
});
