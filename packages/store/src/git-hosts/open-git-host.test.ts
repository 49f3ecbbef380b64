import assert from "node:assert/strict";
import { test } from "node:test";
import { hostBench } from "../../test-support/git-hosts.ts";

test("a token: by each API, and by none", async (t) => {
  const { host, open } = await hostBench(t);
  const secret = host.createToken({ user: "robot", permissions: "write", repositories: ["acme/widget"] });
  const paths = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1", bitbucket: "/2.0" } as const;
  for (const api of ["github", "gitlab", "gitea", "bitbucket"] as const) {
    const opened = open({ type: "token", api, username: null }, secret, paths[api]);
    assert.match(await opened.check(), /accepts the (token|account)/, api);
    const names = (await opened.repositories(null, 1)).items.map(({ full_name }) => full_name);
    assert.deepEqual(names, ["acme/widget"], api);
    assert.deepEqual(
      (await opened.branches("acme/widget", 1)).items.map(({ name }) => name),
      ["main"],
      api,
    );
    const wrong = open({ type: "token", api, username: null }, "wrong", paths[api]);
    await assert.rejects(
      wrong.check(),
      { message: `${host.host} rejects the connection's credential.` },
      api,
    );
  }
  const unknown = open({ type: "token", api: null, username: null }, secret, null);
  const message = `The connection does not say by which API ${host.host} is asked, so only a clone shows whether its token works.`;
  await assert.rejects(unknown.check(), { message });
  await assert.rejects(unknown.repositories(null, 1), { message });
  await assert.rejects(unknown.branches("acme/widget", 1), { message });
  const made = await unknown.makeToken({ repository: "acme/widget", access: "read_write", name: "one" });
  assert.deepEqual([made.token, made.isOwn], [secret, false]);
});

test("lists: page by page, as each API counts them", async (t) => {
  const { host, open } = await hostBench(t);
  for (let at = 0; at < 120; at++)
    await host.createRepository({ org: "many", name: `r${at}`, private: true });
  const secret = host.createToken({ user: "robot", permissions: "write" });
  const paths = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1", bitbucket: "/2.0" } as const;
  for (const api of ["github", "gitlab", "gitea", "bitbucket"] as const) {
    const opened = open({ type: "token", api, username: null }, secret, paths[api]);
    const names = new Set<string>();
    for (let page: number | null = 1; page !== null; ) {
      const found = await opened.repositories(null, page);
      for (const { full_name } of found.items) names.add(full_name);
      page = found.next;
    }
    assert.equal(names.size, 123, api);
  }
});
