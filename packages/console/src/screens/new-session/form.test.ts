import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOf, Session } from "@berth/sdk";
import {
  draftOf,
  EMPTY_FORM,
  type Form,
  formLike,
  kindOf,
  newRepository,
  placeOf,
  providersIn,
  readDraft,
  requestOf,
  withoutSecrets,
  withUrl,
} from "./form.ts";

const form: Form = {
  ...EMPTY_FORM,
  title: " The parser ",
  environmentId: "env_a",
  repositories: [
    { ...newRepository("https://github.com/acme/parser"), secret: "ghp_secret", ref: "main" },
    newRepository(),
    {
      ...newRepository("https://git.example/lib"),
      username: "ada",
      secret: "pass",
      ref: "a".repeat(40),
      refType: "commit",
      mountPath: "/data/lib",
    },
  ],
  files: [{ key: "f", fileId: "file_a", name: "a.txt", mountPath: "" }],
  stores: [{ storeId: "memstore_a", access: "read_only" }],
  vaultIds: ["vlt_a"],
  variables: "CI=true\nQUERY=a=b\nnothing",
};

test("the request has what was filled in, and leaves out what was not", () => {
  assert.deepEqual(requestOf({ ...EMPTY_FORM, environmentId: "env_a" }, "agent_a").body, {
    agent: "agent_a",
    environment_id: "env_a",
  });
  assert.deepEqual(requestOf(form, "agent_a").body, {
    agent: "agent_a",
    environment_id: "env_a",
    title: "The parser",
    resources: [
      {
        type: "hosted_repository",
        url: "https://github.com/acme/parser",
        checkout: { type: "branch", name: "main" },
        authorization_token: "ghp_secret",
      },
      {
        type: "git_repository",
        url: "https://git.example/lib",
        mount_path: "/data/lib",
        checkout: { type: "commit", sha: "a".repeat(40) },
        username: "ada",
        password: "pass",
      },
      { type: "file", file_id: "file_a", mount_path: "/mnt/session/uploads/file_a/a.txt" },
      { type: "memory_store", memory_store_id: "memstore_a", access: "read_only" },
    ],
    vault_ids: ["vlt_a"],
    environment_variables: { CI: "true", QUERY: "a=b" },
  });
});

test("neither what others read nor the draft has a secret", () => {
  for (const text of [JSON.stringify(withoutSecrets(requestOf(form, "agent_a").body)), draftOf(form)])
    assert.doesNotMatch(text, /ghp_secret|"pass"/);
  assert.deepEqual(readDraft(draftOf(form)).title, form.title);
  assert.deepEqual(readDraft("no draft"), EMPTY_FORM);
});

test("a fault is placed at its field, whichever entries of the form are in the request", () => {
  const [first, , third] = form.repositories;
  assert.equal(placeOf("resources[0].authorization_token", form), `${first?.key} secret`);
  assert.equal(placeOf("resources[1].checkout.sha", form), `${third?.key} checkout`);
  assert.equal(placeOf("resources[2].file_id", form), "file f");
  assert.equal(placeOf("resources[3].memory_store_id", form), "stores");
  assert.deepEqual(
    [placeOf("agent.id", form), placeOf("vault_ids[0]", form), placeOf(null, form)],
    ["agent", "vault_ids", ""],
  );
});

test("a session like another one has its agent, environment and resources, and no secret", () => {
  const resources = [
    {
      id: "sesr_a",
      type: "git_repository",
      connection_id: null,
      url: "https://git.example/lib",
      username: "ada",
      mount_path: "/data/lib",
      checkout: { type: "tag", name: "v1" },
    },
    { id: "sesr_b", type: "file", file_id: "file_a", mount_path: "/mnt/session/uploads/file_a/b.csv" },
    { id: "sesr_c", type: "file", file_id: "file_c", mount_path: "/mnt/session/uploads/file_c" },
  ];
  const session = {
    title: "T",
    budget: { type: "limit", max_list_cost: { amount: "250", currency: "USD" } },
    agent: { id: "agent_a", version: 3 },
    environment_id: "env_a",
    resources,
    vault_ids: ["vlt_a"],
    environment_variables: { A: "1" },
  } as unknown as Session;
  const first = { content: [{ type: "text", text: "Do it" }] } as EventOf<"user.message">;
  const like = formLike(session, first);
  assert.deepEqual(
    [like.task, like.agentVersion, like.vaultIds, like.variables],
    ["Do it", 3, ["vlt_a"], "A=1"],
  );
  assert.deepEqual([like.budget, requestOf(like, "agent_a").body.budget], ["2.5", session.budget]);
  assert.deepEqual(requestOf(like, "agent_a").body.resources, [
    {
      type: "git_repository",
      url: "https://git.example/lib",
      mount_path: "/data/lib",
      checkout: { type: "tag", name: "v1" },
      username: "ada",
    },
    { type: "file", file_id: "file_a", mount_path: "/mnt/session/uploads/file_a/b.csv" },
    { type: "file", file_id: "file_c", mount_path: "/mnt/session/uploads/file_c" },
  ]);
  assert.deepEqual(
    like.files.map(({ name, mountPath }) => [name, mountPath]),
    [
      ["b.csv", ""],
      ["file_c", "/mnt/session/uploads/file_c"],
    ],
  );
});

test("a repository's kind follows its address, by the providers that sessions show, until it is chosen", () => {
  const resources = [
    { type: "hosted_repository", url: "https://git.acme.example:8443/team/app" },
    { type: "git_repository", url: "https://plain.example/lib" },
  ];
  const providers = providersIn([{ resources }] as unknown as Session[]);
  const kinds = [
    "https://git.acme.example:8443/team/other",
    "https://git.acme.example/team/other",
    "https://plain.example/b",
  ];
  assert.deepEqual(
    kinds.map((url) => kindOf(url, providers)),
    ["hosted", "git", "git"],
  );
  assert.equal(kindOf("https://github.com/acme/app"), "hosted");
  assert.equal(kindOf("https://github.com.example/acme/app"), "git");
  assert.equal(kindOf("github.com"), "git");
  const repository = newRepository("https://plain.example/b");
  const hosted = "https://github.com/acme/app";
  assert.equal(withUrl(repository, hosted, providers).kind, "hosted");
  const chosen = { ...repository, kind: "hosted" as const };
  assert.equal(withUrl(chosen, "https://other.example/b", providers).kind, "hosted");
});

test("a repository with a connection: the request names it, and has no secret or user name", () => {
  const repository = {
    ...newRepository("https://github.com/acme/app"),
    ...{ connectionId: "conn_a", secret: "left over", username: "left over" },
  };
  const form = { ...EMPTY_FORM, task: "x", environmentId: "env_a" };
  for (const [kind, type] of [
    ["hosted", "hosted_repository"],
    ["git", "git_repository"],
  ] as const) {
    const { body } = requestOf({ ...form, repositories: [{ ...repository, kind }] }, "agent_a");
    assert.deepEqual(body.resources, [{ type, url: "https://github.com/acme/app", connection_id: "conn_a" }]);
  }
  const filled = { ...form, repositories: [repository] };
  assert.equal(placeOf("resources[0].connection_id", filled), `${repository.key} connection`);
});
