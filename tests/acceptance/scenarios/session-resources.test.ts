import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeFile, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const SECRET = "ghp_canary7Jq2mVxK0";
const REPOSITORY_URL = "https://github.com/octo/hello";

async function create(resources: AnyJson[]): Promise<AnyJson> {
  const { agent, environment_id } = await makeSession(api);
  return api.post("/sessions", { agent: agent.id, environment_id, resources });
}

covers(
  ["repo-shape", "repo-default-mount", "repo-token-optional"],
  "add repository: returns the documented fields",
  async () => {
    const { body, status } = await create([{ type: "hosted_repository", url: REPOSITORY_URL }]);
    assert.equal(status, 200, JSON.stringify(body));
    const [{ id, created_at: created, updated_at: updated, ...rest }] = body.resources;
    assert.match(id, /^sesr_/);
    assert.match(created, /Z$/);
    assert.equal(updated, created);
    assert.deepEqual(rest, {
      type: "hosted_repository",
      url: REPOSITORY_URL,
      mount_path: "/data/hello",
      checkout: null,
      connection_id: null,
      access: null,
      environment: null,
      error: null,
    });
  },
);

covers(
  ["repo-several"],
  "mount paths: defaults are numbered, colliding given ones are rejected with 400",
  async () => {
    const repo = (fields: AnyJson = {}) => ({ type: "hosted_repository", url: REPOSITORY_URL, ...fields });
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
      const response = await create([repo({ mount_path: one }), repo({ mount_path: other })]);
      assertError(response, 400, "invalid_request_error", { param: "resources[1].mount_path" });
    }
  },
);

covers(
  ["repo-kind"],
  "hosted_repository url: only https urls of the providers' hosts are accepted",
  async () => {
    for (const bad of [
      "http://github.com/octo/hello",
      "git@github.com:octo/hello",
      "ssh://github.com/octo/hello",
      "ext::sh -c id",
      "file:///etc",
      "https://github.com/octo/.git",
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
      const response = await create([{ type: "hosted_repository", url: bad }]);
      assertError(response, 400, "invalid_request_error", { param: "resources[0].url" });
    }
    assertError(await create([{ type: "hosted_repository" }]), 400, "invalid_request_error", {
      message: "Field 'resources[0].url' is required.",
      param: "resources[0].url",
    });
    assertError(
      await create([{ type: "github_repository", url: REPOSITORY_URL }]),
      400,
      "invalid_request_error",
      {
        param: "resources[0].type",
      },
    );
  },
);

covers(
  ["repo-url-form"],
  "url: forms that differ from the normal one only in case, port or end are stored in the normal form",
  async () => {
    for (const type of ["hosted_repository", "git_repository"]) {
      for (const written of [
        "https://GitHub.com/octo/Hello",
        "HTTPS://github.com/octo/Hello/",
        "https://github.com:443/octo/Hello//",
        ...(type === "hosted_repository"
          ? ["https://github.com/octo/Hello.git", "https://GITHUB.COM/octo/Hello.git/"]
          : []),
      ]) {
        const { body } = await create([{ type, url: written }]);
        assert.equal(body.resources?.[0].url, "https://github.com/octo/Hello", written);
        assert.equal(body.resources[0].mount_path, "/data/Hello");
      }
    }
    const { body } = await create([{ type: "git_repository", url: "https://Git.example/a.git/" }]);
    assert.equal(body.resources[0].url, "https://git.example/a.git", "other servers may need the end");
    for (const url of ["https://GitLab.example/o/r", "https://github.com:8443/o/r"]) {
      const response = await create([{ type: "hosted_repository", url }]);
      assertError(response, 400, "invalid_request_error", { param: "resources[0].url" });
    }
  },
);

covers(
  ["mount-path-rules"],
  "mount_path of a repository: places where none can be cloned are rejected with 400",
  async () => {
    for (const type of ["hosted_repository", "git_repository"]) {
      for (const mount_path of [
        "/mnt/session/uploads/r",
        "/mnt/session/uploads/a/b",
        "/data/r/.git",
        "/data/.GIT/r",
      ]) {
        const response = await create([{ type, url: REPOSITORY_URL, mount_path }]);
        assertError(response, 400, "invalid_request_error", { param: "resources[0].mount_path" });
      }
    }
  },
);

covers(["reference-404"], "an id in a body that does not exist: 404 with the field that has it", async () => {
  const session = await makeSession(api);
  const body = { agent: session.agent.id, environment_id: session.environment_id };
  const none = (prefix: string) => `${prefix}_01h00000000000000000000000`;
  const message = (block: AnyJson) => [{ type: "user.message", content: [block] }];
  const image = { type: "image", source: { type: "file", file_id: none("file") } };
  for (const [path, fields, param] of [
    ["/sessions", { ...body, agent: none("agent") }, "agent"],
    ["/sessions", { ...body, agent: { type: "agent", id: none("agent") } }, "agent.id"],
    ["/sessions", { ...body, environment_id: none("env") }, "environment_id"],
    ["/sessions", { ...body, vault_ids: [none("vault")] }, "vault_ids[0]"],
    [
      "/sessions",
      { ...body, resources: [{ type: "vault", vault_id: none("vault") }] },
      "resources[0].vault_id",
    ],
    ["/sessions", { ...body, resources: [{ type: "file", file_id: none("file") }] }, "resources[0].file_id"],
    [
      "/sessions",
      { ...body, resources: [{ type: "memory_store", memory_store_id: none("memstore") }] },
      "resources[0].memory_store_id",
    ],
    ["/sessions", { ...body, initial_events: message(image) }, "initial_events[0].content[0].source.file_id"],
    [`/sessions/${session.id}/events`, { events: message(image) }, "events[0].content[0].source.file_id"],
    [`/sessions/${session.id}/resources`, { type: "file", file_id: none("file") }, "file_id"],
    [
      "/agents",
      { name: "a", model: "rehearsal/steps", skills: [{ type: "custom", skill_id: none("skill") }] },
      "skills[0].skill_id",
    ],
  ] as [string, AnyJson, string][]) {
    assertError(await api.post(path, fields), 404, "not_found_error", { param });
  }
  assert.equal(
    (await api.get(`/sessions/${none("sess")}`)).body.error.param,
    undefined,
    "an id in a path has none",
  );
});

covers(
  ["repo-checkout"],
  "checkout: a branch, a tag or a commit; other forms are rejected with 400",
  async () => {
    const sha = "0123456789abcdef0123456789abcdef01234567";
    for (const checkout of [
      { type: "branch", name: "feature/x" },
      { type: "commit", sha },
      { type: "tag", name: "v1.0" },
    ]) {
      const { body } = await create([{ type: "hosted_repository", url: REPOSITORY_URL, checkout }]);
      assert.deepEqual(body.resources[0].checkout, checkout);
    }
    for (const checkout of [
      { type: "tag" },
      { type: "tag", name: "-v" },
      { type: "tag", sha },
      { type: "branch" },
      { type: "branch", name: "-x" },
      { type: "branch", name: "a..b" },
      { type: "commit", sha: "abc" },
      "main",
    ]) {
      assertError(
        await create([{ type: "hosted_repository", url: REPOSITORY_URL, checkout }]),
        400,
        "invalid_request_error",
      );
    }
  },
);

covers(["repo-token-secret"], "authorization_token: in no response and no log line", async () => {
  const { body: session } = await create([
    { type: "hosted_repository", url: REPOSITORY_URL, authorization_token: SECRET },
  ]);
  const path = `/sessions/${session.id}/resources`;
  const rotated = await api.ok("POST", `${path}/${session.resources[0].id}`, {
    authorization_token: `${SECRET}-2`,
  });
  const responses = [
    session,
    rotated,
    await api.ok("GET", `/sessions/${session.id}`),
    await api.ok("GET", "/sessions"),
    await api.ok("GET", path),
    await api.ok("GET", `${path}/${session.resources[0].id}`),
    await api.ok("GET", `/sessions/${session.id}/events`),
  ];
  for (const response of responses) assert.ok(!JSON.stringify(response).includes(SECRET));
  assert.ok(!("authorization_token" in rotated));
  assert.ok(!berth.log.includes(SECRET));
});

covers(
  ["resource-rotate-kind", "repo-rotation", "repo-fixed"],
  "rotate: accepts a token for a repository and nothing else",
  async () => {
    const { body: session } = await create([{ type: "hosted_repository", url: REPOSITORY_URL }]);
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
  "add file to a running session: the agent can read it",
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
    assert.match(texts[1] ?? "", /Read-only|Permission denied/, "the file is read-only in the container");
  },
);

covers(
  ["file-mounted"],
  "file given at creation: at its mount path when the first command runs",
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

covers(
  ["file-add-type", "repo-only-at-create"],
  "add resource: a type other than file is rejected with 400",
  async () => {
    const { id } = await makeSession(api);
    for (const type of ["hosted_repository", "git_repository", "memory_store", "vault", "", 5]) {
      const response = await api.post(`/sessions/${id}/resources`, { type, url: REPOSITORY_URL } as AnyJson);
      assertError(response, 400, "invalid_request_error", {
        message: "Field 'type' must be 'file'.",
        param: "type",
      });
    }
  },
);

covers(
  ["file-add-required", "file-add-mount", "mount-path-rules"],
  "add file: each invalid field is rejected with 400",
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

covers(["file-add-404"], "add file: an unknown session or file is 404 and named", async () => {
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

covers(["file-add-409"], "add file: conflicts are 409 with type invalid_request_error", async () => {
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

covers(["resource-list", "resource-get", "page-envelope"], "resources: list and read", async () => {
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
});
