import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSkill,
  runTurn,
  skillForm,
  toolResults,
} from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { api } = await sharedService();

/** A zip archive by Python's zipfile with `greet/SKILL.md` and `greet/scripts/hello.sh`. */
const ARCHIVE = Buffer.from(
  [
    "UEsDBBQAAAAIAAAAIVxLC8PNQQAAAEYAAAAOAAAAZ3JlZXQvU0tJTEwubWTT1dXlykvMTbVSSC9KTS3hSkktTi7KLCjJzM+z",
    "UnAHCRUrFKTmF+Sk6nHpAtUGleYpQFQU62ek5uTk6xVn6HEBAFBLAwQUAAAACAAAACFcauSvpC4AAAAsAAAAFgAAAGdyZWV0",
    "L3NjcmlwdHMvaGVsbG8uc2hTVtRPyszTL87gSk3OyFdQ8kjNyclXSCvKz1VQ0UjJLMpLzE1VUFIxUNJU4gIAUEsBAhQDFAAA",
    "AAgAAAAhXEsLw81BAAAARgAAAA4AAAAAAAAAAAAAAKSBAAAAAGdyZWV0L1NLSUxMLm1kUEsBAhQDFAAAAAgAAAAhXGrkr6Qu",
    "AAAALAAAABYAAAAAAAAAAAAAAO2BbQAAAGdyZWV0L3NjcmlwdHMvaGVsbG8uc2hQSwUGAAAAAAIAAgCAAAAAzwAAAAAA",
  ].join(""),
  "base64",
);

function upload(content: Uint8Array, path = "/skills") {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(content)]), "skill.zip");
  return api.call("POST", path, undefined, { raw: form });
}

function skillReference({ id }: AnyJson, version?: number) {
  return { type: "custom", skill_id: id, ...(version === undefined ? {} : { version }) };
}

covers(["skills-upload", "skills-object"], "upload skill: a zip archive", async () => {
  const response = await upload(ARCHIVE);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  const { id, owner_id: owner, created_at: created, updated_at: updated, ...rest } = response.body;
  assert.match(id, /^skill_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(owner, /^usr_/);
  assert.match(created, /Z$/);
  assert.match(updated, /Z$/);
  assert.deepEqual(rest, {
    type: "skill",
    name: "greet",
    display_title: null,
    description: "Greets people.",
    status: "active",
    skill_type: "custom",
    latest_version: 1,
    warnings: [],
    metadata: {},
    owner_type: "user",
    visibility: "private",
    archived_at: null,
  });
  assert.deepEqual(await api.ok("GET", `/skills/${id}`), response.body);
  assert.deepEqual((await api.ok("GET", "/skills?limit=1")).data, [response.body]);
  const { files } = await api.ok("GET", `/skills/${id}/versions/1`);
  assert.deepEqual(
    files.map(({ path, executable }: AnyJson) => [path, executable]),
    [
      ["SKILL.md", false],
      ["scripts/hello.sh", true],
    ],
  );
});

covers(["skills-content"], "skill content: each file of a version, whole or in part", async () => {
  const skill = await makeSkill(api, "readable");
  await api.call("POST", `/skills/${skill.id}/versions`, undefined, { raw: skillForm("readable", "Other.") });
  const contentOf = (version: number | string, path: string, headers: Record<string, string> = {}) =>
    api.call("GET", `/skills/${skill.id}/versions/${version}/content?path=${path}`, undefined, { headers });
  const script = await contentOf(1, "scripts/run.sh");
  assert.deepEqual(
    [script.status, script.body, script.headers.get("content-disposition")],
    [200, '#!/bin/sh\necho "I am readable"\n', `attachment; filename="run.sh"; filename*=UTF-8''run.sh`],
  );
  assert.equal(script.headers.get("x-content-type-options"), "nosniff");
  const { id, files } = await api.ok("GET", `/skills/${skill.id}/versions/2`);
  const manifest = await contentOf(id, "SKILL.md");
  assert.match(manifest.body, /description: Other\./);
  assert.equal(manifest.headers.get("content-type"), "text/markdown");
  assert.equal(manifest.headers.get("content-length"), String(files[0].size_bytes));
  const part = await contentOf(1, "scripts/run.sh", { range: "bytes=2-8" });
  assert.deepEqual([part.status, part.body], [206, "/bin/sh"]);
  const etag = script.headers.get("etag") ?? "";
  assert.equal((await contentOf(1, "scripts/run.sh", { "if-none-match": etag })).status, 304);
  assertError(await contentOf(1, "scripts/none.sh"), 404, "not_found_error", { param: "path" });
  assertError(await contentOf(1, "../SKILL.md"), 404, "not_found_error", { param: "path" });
  assertError(await contentOf(3, "SKILL.md"), 404, "not_found_error");
  assertError(await api.get(`/skills/${skill.id}/versions/1/content`), 400, "invalid_request_error", {
    param: "path",
  });
});

covers(["skills-name"], "skill name: a second skill with it is rejected with 409", async () => {
  await makeSkill(api, "unique", { metadata: { team: "docs" } });
  assertError(await upload(Buffer.from("no archive")), 400, "invalid_request_error", { param: "file" });
  const again = makeSkill(api, "unique");
  await assert.rejects(again, /conflict_error.*'unique' already/);
});

covers(["skills-faults"], "upload skill: an invalid one is rejected with 400", async () => {
  const send = (files: Record<string, string>) => {
    const form = new FormData();
    for (const [path, text] of Object.entries(files)) form.append("files[]", new Blob([text]), path);
    return api.call("POST", "/skills", undefined, { raw: form });
  };
  const manual = "---\nname: faulty\ndescription: d\n---\n";
  for (const files of [
    {},
    { "README.md": manual },
    { "SKILL.md": "no frontmatter" },
    { "SKILL.md": "---\nname: Bad Name\ndescription: d\n---\n" },
    { "SKILL.md": "---\nname: faulty\n---\n" },
    { "SKILL.md": manual, "../out": "x" },
    { "SKILL.md": manual, "/etc/passwd": "x" },
    { "a/SKILL.md": manual, "b/SKILL.md": manual },
    { "SKILL.md": manual, large: "x".repeat(31 * 1024 * 1024) },
  ]) {
    assertError(await send(files), 400, "invalid_request_error");
  }
  const names = (await api.ok("GET", "/skills?include_archived=true")).data.map(({ name }: AnyJson) => name);
  assert.ok(!names.includes("faulty"));
});

covers(
  ["skills-versions", "skills-change"],
  "skill versions: upload, list, read and delete; update and archive the skill",
  async () => {
    const skill = await makeSkill(api, "versioned");
    const path = `/skills/${skill.id}`;
    const second = await makeSkill(api, "versioned", { path: `${path}/versions`, description: "Better." });
    assert.deepEqual([second.version, second.type, second.skill_id], [2, "skill_version", skill.id]);
    await assert.rejects(makeSkill(api, "other", { path: `${path}/versions` }), /'other'.*'versioned'/);
    assert.equal((await api.ok("GET", path)).description, "Better.");
    const { data, has_more: more } = await api.ok("GET", `${path}/versions?limit=1`);
    assert.deepEqual([data, more], [[second], true]);
    assert.deepEqual(await api.ok("GET", `${path}/versions/2`), second);
    assertError(await api.get(`${path}/versions/3`), 404, "not_found_error");
    await api.ok("DELETE", `${path}/versions/1`);
    assertError(await api.delete(`${path}/versions/2`), 409, "conflict_error");
    const changed = await api.ok("POST", path, { display_title: "Versioned", metadata: { a: "1" } });
    assert.deepEqual([changed.display_title, changed.metadata], ["Versioned", { a: "1" }]);
    const archived = await api.ok("POST", `${path}/archive`);
    assert.equal(archived.status, "archived");
    assertError(await api.post(path, { metadata: null }), 403, "permission_error");
    assert.deepEqual(await api.ok("GET", path), archived);
    assert.deepEqual(await api.ok("DELETE", path), { id: skill.id, type: "skill_deleted" });
    assertError(await api.get(path), 404, "not_found_error");
  },
);

covers(
  ["skills-agents", "skills-pinned", "skills-in-use"],
  "agents refer to skills, and sessions pin the versions",
  async () => {
    const [one, two] = [await makeSkill(api, "one"), await makeSkill(api, "two")];
    await makeSkill(api, "two", { path: `/skills/${two.id}/versions` });
    const agent = await makeAgent(api, { skills: [skillReference(one), skillReference(two, 1)] });
    assert.deepEqual(agent.skills, [
      { type: "custom", skill_id: one.id, version: null, name: "one" },
      { type: "custom", skill_id: two.id, version: 1, name: "two" },
    ]);
    const environment = await makeEnvironment(api);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    await makeSkill(api, "one", { path: `/skills/${one.id}/versions` });
    const pinned = (await api.ok("GET", `/sessions/${session.id}`)).agent.skills;
    assert.deepEqual(
      pinned.map(({ version }: AnyJson) => version),
      [1, 1],
    );
    assertError(
      await api.post("/agents", { name: "x", model: "rehearsal/steps", skills: [skillReference(one, 9)] }),
      404,
      "not_found_error",
    );
    assertError(await api.delete(`/skills/${one.id}`), 409, "conflict_error");
    assertError(await api.delete(`/skills/${two.id}/versions/1`), 409, "conflict_error");
    await api.ok("POST", `/agents/${agent.id}/archive`);
    assertError(await api.delete(`/skills/${one.id}/versions/1`), 409, "conflict_error");
    await api.ok("POST", `/sessions/${session.id}/archive`);
    await api.ok("DELETE", `/skills/${one.id}`);
  },
);

covers(
  ["skills-mounted"],
  "mounted skill: the agent can read it and run its script, not change it",
  async () => {
    const skill = await makeSkill(api, "introduce");
    const agent = await makeAgent(api, { skills: [skillReference(skill)] });
    const environment = await makeEnvironment(api);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    const directory = "/mnt/skills/introduce";
    const events = await runTurn(
      api,
      session.id,
      { tool: "Read", input: { file_path: `${directory}/SKILL.md` } },
      bash(`${directory}/scripts/run.sh`),
      bash(
        `echo x >>${directory}/SKILL.md || rm -rf ${directory} || touch ${directory}/new || ls ${directory}`,
      ),
    );
    const [manual, ran, changed] = toolResults(events);
    assert.match(manual ?? "", /name: introduce.*Run scripts\/run\.sh/s);
    assert.match(ran ?? "", /I am introduce/);
    assert.match(changed ?? "", /Read-only file system.*SKILL\.md\nscripts/s);
  },
);
