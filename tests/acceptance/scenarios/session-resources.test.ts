import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeFile, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";

const { berth, api } = await startBerth();

const secret = "ghp_canary7Jq2mVxK0";
const url = "https://github.com/octo/hello";

async function create(resources: AnyJson[]): Promise<AnyJson> {
  const { agent, environment_id } = await makeSession(api);
  return api.post("/sessions", { agent: agent.id, environment_id, resources });
}

covers(
  ["repo-shape", "repo-default-mount", "repo-token-optional"],
  "a repository answers its documented members",
  async () => {
    const { body, status } = await create([{ type: "hosted_repository", url }]);
    assert.equal(status, 200, JSON.stringify(body));
    const [{ id, created_at: created, updated_at: updated, ...rest }] = body.resources;
    assert.match(id, /^sesr_/);
    assert.match(created, /Z$/);
    assert.equal(updated, created);
    assert.deepEqual(rest, { type: "hosted_repository", url, mount_path: "/data/hello", checkout: null });
  },
);

covers(["repo-several"], "default mounts step aside, given ones must not collide", async () => {
  const repo = (fields: AnyJson = {}) => ({ type: "hosted_repository", url, ...fields });
  const two = await create([
    repo(),
    repo({ url: "https://github.com/other/hello" }),
    repo({ mount_path: "/workspace/x" }),
  ]);
  assert.deepEqual(two.body.resources.map(({ mount_path: path }: AnyJson) => path).sort(), [
    "/data/hello",
    "/data/hello-2",
    "/workspace/x",
  ]);
  for (const [one, other] of [
    ["/data/a", "/data/a"],
    ["/data/a", "/data/a/b"],
    ["/data/a/b", "/data/a"],
  ]) {
    const answer = await create([repo({ mount_path: one }), repo({ mount_path: other })]);
    assertError(answer, 400, "invalid_request_error", { param: "resources[1].mount_path" });
  }
});

covers(["repo-kind"], "only https urls of served hosts name a repository", async () => {
  for (const bad of [
    "http://github.com/octo/hello",
    "git@github.com:octo/hello",
    "ssh://github.com/octo/hello",
    "ext::sh -c id",
    "file:///etc",
    "https://github.com/octo/hello.git",
    "https://github.com/octo/hello/",
    "https://github.com/octo",
    "https://github.com/octo/hello/tree/main",
    "https://user:pass@github.com/octo/hello",
    "https://github.com/octo/hello?x=1",
    "https://github.com/octo/hello#x",
    "https://github.com/octo/..",
    "https://github.com/-oc/hello%0a",
    "https://127.0.0.1/octo/hello",
    "https://gitlab.example/octo/hello",
    "--upload-pack=id",
    "",
  ]) {
    const answer = await create([{ type: "hosted_repository", url: bad }]);
    assertError(answer, 400, "invalid_request_error", { param: "resources[0].url" });
  }
  assertError(await create([{ type: "hosted_repository" }]), 400, "invalid_request_error", {
    message: "Field 'resources[0].url' is required.",
    param: "resources[0].url",
  });
  assertError(await create([{ type: "github_repository", url }]), 400, "invalid_request_error", {
    param: "resources[0].type",
  });
});

covers(["repo-checkout"], "a checkout is a branch or a commit", async () => {
  const sha = "0123456789abcdef0123456789abcdef01234567";
  for (const checkout of [
    { type: "branch", name: "feature/x" },
    { type: "commit", sha },
  ]) {
    const { body } = await create([{ type: "hosted_repository", url, checkout }]);
    assert.deepEqual(body.resources[0].checkout, checkout);
  }
  for (const checkout of [
    { type: "tag", name: "v1" },
    { type: "branch" },
    { type: "branch", name: "-x" },
    { type: "branch", name: "a..b" },
    { type: "commit", sha: "abc" },
    "main",
  ]) {
    assertError(await create([{ type: "hosted_repository", url, checkout }]), 400, "invalid_request_error");
  }
});

covers(["repo-token-secret"], "the token is in no answer", async () => {
  const { body: session } = await create([{ type: "hosted_repository", url, authorization_token: secret }]);
  const path = `/sessions/${session.id}/resources`;
  const rotated = await api.ok("POST", `${path}/${session.resources[0].id}`, {
    authorization_token: `${secret}-2`,
  });
  const answers = [
    session,
    rotated,
    await api.ok("GET", `/sessions/${session.id}`),
    await api.ok("GET", "/sessions"),
    await api.ok("GET", path),
    await api.ok("GET", `${path}/${session.resources[0].id}`),
    await api.ok("GET", `/sessions/${session.id}/events`),
  ];
  for (const answer of answers) assert.ok(!JSON.stringify(answer).includes(secret));
  assert.ok(!("authorization_token" in rotated));
  assert.ok(!berth.log.includes(secret));
});

covers(
  ["resource-rotate-kind", "repo-rotation", "repo-fixed"],
  "rotation takes a token for a repository and nothing else",
  async () => {
    const { body: session } = await create([{ type: "hosted_repository", url }]);
    const path = `/sessions/${session.id}/resources`;
    const repository = `${path}/${session.resources[0].id}`;
    assertError(await api.post(repository, {}), 400, "invalid_request_error", {
      message: "Field 'authorization_token' is required.",
    });
    assertError(
      await api.post(repository, { authorization_token: "x", url: "https://github.com/a/b" }),
      400,
      "invalid_request_error",
      { param: "url" },
    );
    assertError(
      await api.post(repository, { authorization_token: "x", mount_path: "/data/other" }),
      400,
      "invalid_request_error",
      { param: "mount_path" },
    );
    const file = await makeFile(api, "x");
    const mounted = await api.ok("POST", path, { type: "file", file_id: file.id });
    assertError(
      await api.post(`${path}/${mounted.id}`, { authorization_token: "x" }),
      400,
      "invalid_request_error",
    );
    assertError(
      await api.post(`${path}/sesr_01h00000000000000000000000`, { authorization_token: "x" }),
      404,
      "not_found_error",
    );
    await api.ok("POST", `/sessions/${session.id}/terminate`);
    assertError(await api.post(repository, { authorization_token: "x" }), 409, "conflict_error");
  },
);

covers(
  ["file-add", "file-shape", "file-mounted"],
  "a file is added to a living session and read by the agent",
  async () => {
    const session = await makeSession(api);
    const path = `/sessions/${session.id}/resources`;
    assert.match(toolResults(await runTurn(api, session.id, bash("pwd")))[0] ?? "", /\/data/);
    const file = await makeFile(api, "late but here\n");
    const {
      id,
      created_at: created,
      updated_at: updated,
      ...rest
    } = await api.ok("POST", path, { type: "file", file_id: file.id, mount_path: null });
    assert.match(id, /^sesr_/);
    assert.match(created, /Z$/);
    assert.equal(updated, created);
    assert.deepEqual(rest, { type: "file", file_id: file.id, mount_path: `/mnt/session/uploads/${file.id}` });
    const other = await makeFile(api, "elsewhere\n");
    await api.ok("POST", path, { type: "file", file_id: other.id, mount_path: "/data/in/other.txt" });
    const texts = toolResults(
      await runTurn(
        api,
        session.id,
        bash(`cat /mnt/session/uploads/${file.id} /data/in/other.txt`),
        bash(`echo x >> /mnt/session/uploads/${file.id}`),
      ),
    );
    assert.match(texts[0] ?? "", /late but here\nelsewhere/);
    assert.match(texts[1] ?? "", /Read-only|Permission denied/, "a file is read-only in the container");
  },
);

covers(
  ["file-mounted"],
  "a file given at creation is there at the first command, at any free place",
  async () => {
    const file = await makeFile(api, "at start\n");
    const { body: session } = await create([
      { type: "file", file_id: file.id, mount_path: "/inputs/deep/start.txt" },
    ]);
    assert.match(
      toolResults(await runTurn(api, session.id, bash("cat /inputs/deep/start.txt")))[0] ?? "",
      /at start/,
    );
  },
);

covers(["file-add-type", "repo-only-at-create"], "only files are added later", async () => {
  const { id } = await makeSession(api);
  for (const type of ["hosted_repository", "git_repository", "memory_store", "vault", "", 5]) {
    const answer = await api.post(`/sessions/${id}/resources`, { type, url } as AnyJson);
    assertError(answer, 400, "invalid_request_error", {
      message: "Field 'type' must be 'file'.",
      param: "type",
    });
  }
});

covers(
  ["file-add-required", "file-add-mount", "mount-path-rules"],
  "the body of an added file is checked field by field",
  async () => {
    const { id } = await makeSession(api);
    const path = `/sessions/${id}/resources`;
    assertError(await api.post(path, { type: "file" }), 400, "invalid_request_error", {
      message: "Field 'file_id' is required.",
      param: "file_id",
    });
    const file = await makeFile(api, "x");
    for (const mount of [
      "relative",
      "",
      "/",
      "/data",
      "/data/../etc/x",
      "/data//x",
      "/data/./x",
      "/data/x/",
      "/etc/passwd",
      "/proc/1/x",
      "/usr/bin/x",
      "/dev/x",
      "/mnt/memory/x",
      "/mnt/skills/x",
      "/mnt/session/outputs/x",
      "/mnt/session/outputs",
      "/data/a\u0000b",
      "/data/a\nb",
      `/data/${"x".repeat(1020)}`,
      7,
    ]) {
      assertError(
        await api.post(path, { type: "file", file_id: file.id, mount_path: mount }),
        400,
        "invalid_request_error",
        { param: "mount_path" },
      );
    }
    assertError(await api.post(path, { type: "file", file_id: "nonsense" }), 400, "invalid_request_error", {
      param: "file_id",
    });
  },
);

covers(["file-add-404"], "an unknown session or file is 404 and named", async () => {
  const { id } = await makeSession(api);
  const absent = "file_01h00000000000000000000000";
  assertError(
    await api.post(`/sessions/${id}/resources`, { type: "file", file_id: absent }),
    404,
    "not_found_error",
    { message: new RegExp(absent) },
  );
  const file = await makeFile(api, "x");
  const nowhere = "/sessions/sess_01h00000000000000000000000/resources";
  assertError(await api.post(nowhere, { type: "file", file_id: file.id }), 404, "not_found_error", {
    message: /[Ss]ession/,
  });
});

covers(["file-add-409"], "conflicts of an added file are labelled invalid_request_error", async () => {
  const session = await makeSession(api);
  const path = `/sessions/${session.id}/resources`;
  const file = await makeFile(api, "x");
  await api.ok("POST", path, { type: "file", file_id: file.id });
  assertError(await api.post(path, { type: "file", file_id: file.id }), 409, "invalid_request_error");
  assertError(
    await api.post(path, { type: "file", file_id: file.id, mount_path: "/data/again" }),
    409,
    "invalid_request_error",
  );
  const another = await makeFile(api, "y");
  for (const verb of ["archive", "terminate"]) {
    const ended = await makeSession(api);
    await api.ok("POST", `/sessions/${ended.id}/${verb}`);
    assertError(
      await api.post(`/sessions/${ended.id}/resources`, { type: "file", file_id: another.id }),
      409,
      "invalid_request_error",
    );
  }
});

covers(
  ["resource-list", "resource-get", "page-envelope"],
  "a session's resources are listed and read",
  async () => {
    const files = [await makeFile(api, "1"), await makeFile(api, "2"), await makeFile(api, "3")];
    const { body: session } = await create(files.map(({ id }) => ({ type: "file", file_id: id })));
    const path = `/sessions/${session.id}/resources`;
    const all = await api.ok("GET", path);
    assert.equal(all.data.length, 3);
    const sorted = all.data
      .map(({ id }: AnyJson) => id)
      .toSorted()
      .reverse();
    assert.deepEqual(
      all.data.map(({ id }: AnyJson) => id),
      sorted,
      "newest first",
    );
    assert.deepEqual(
      [all.first_id, all.last_id, all.next_page, all.has_more],
      [sorted[0], sorted[2], null, false],
    );
    const first = await api.ok("GET", `${path}?limit=2`);
    assert.equal(first.has_more, true);
    assert.deepEqual((await api.ok("GET", `${path}?page=${first.next_page}`)).data, all.data.slice(2));
    assert.deepEqual((await api.ok("GET", `${path}?after_id=${sorted[0]}`)).data, all.data.slice(1));
    assertError(await api.get(`${path}?limit=101`), 400, "invalid_request_error", {
      message: "limit exceeds maximum of 100",
    });
    assertError(
      await api.get(`${path}?after_id=${sorted[0]}&before_id=${sorted[1]}`),
      400,
      "invalid_request_error",
    );
    assertError(await api.get("/sessions/sess_01h00000000000000000000000/resources"), 404, "not_found_error");
    assert.deepEqual(await api.ok("GET", `${path}/${sorted[1]}`), all.data[1]);
    const missing = "sesr_01h00000000000000000000000";
    assertError(await api.get(`${path}/${missing}`), 404, "not_found_error", { message: /[Rr]esource/ });
    assertError(
      await api.get(`/sessions/sess_01h00000000000000000000000/resources/${missing}`),
      404,
      "not_found_error",
      { message: /[Ss]ession/ },
    );
  },
);
