// Subject: the routes of skills.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { testApp } from "../../../test-support/http.ts";
import { manual, postSkill, postZip, zip } from "../../../test-support/skills.ts";

function stored(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;
}

describe("skills", () => {
  test("versions: the newest one describes the skill", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const made = (await postSkill(owner, "tidy")).body;
    assert.match(made.id, /^skill_/);
    assert.deepEqual((await owner.get(`/skills/${made.id}`)).body, made);
    const { status, body: second } = await postZip(
      owner,
      zip([{ name: "SKILL.md", content: manual("tidy", "Better.") }]),
      `/skills/${made.id}/versions`,
    );
    assert.equal(status, 200);
    assert.match(second.id, /^skver_/);
    assert.deepEqual([second.version, second.description, second.skill_id], [2, "Better.", made.id]);
    const now = (await owner.get(`/skills/${made.id}`)).body;
    assert.deepEqual([now.latest_version, now.description], [2, "Better."]);
    const versions = (await owner.get(`/skills/${made.id}/versions`)).body;
    assert.deepEqual(
      versions.data.map(({ version }: { version: number }) => version),
      [2, 1],
    );
    assert.deepEqual((await owner.get(`/skills/${made.id}/versions/${second.id}`)).body, second);
    const after = await owner.get(`/skills/${made.id}/versions?after_id=${second.id}`);
    assert.equal(after.body.data[0].version, 1);
    const named = await postZip(
      owner,
      zip([{ name: "SKILL.md", content: manual("other") }]),
      `/skills/${made.id}/versions`,
    );
    assert.deepEqual(
      [named.status, named.body.error.message],
      [400, "The name in SKILL.md is 'other', but the name of this skill is 'tidy'."],
    );
    for (const version of ["3", "0", "x", "99999999999", made.id]) {
      assert.equal((await owner.get(`/skills/${made.id}/versions/${version}`)).status, 404);
    }
  });

  test("create: a name that the owner has, also concurrently → one succeeds", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const replies = await Promise.all(Array.from({ length: 6 }, () => postSkill(owner, "tidy")));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [
      200,
      ...Array.from({ length: 5 }, () => 409),
    ]);
    assert.equal((await postSkill(await app.caller({ email: "b@example.com" }), "tidy")).status, 200);
    assert.equal(stored(app.blobsDir), 1);
  });

  test("create version: concurrently → each gets its own number", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const { id } = (await postSkill(owner, "tidy")).body;
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => postSkill(owner, "tidy", `/skills/${id}/versions`)),
    );
    assert.deepEqual(replies.map(({ body }) => body.version).sort(), [2, 3, 4, 5, 6, 7]);
  });

  test("update: title and metadata change; archived → rejected", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const { id } = (await postSkill(owner, "tidy")).body;
    const changed = await owner.made(`/skills/${id}`, { display_title: "T", metadata: { a: "1" } });
    assert.deepEqual([changed.display_title, changed.metadata], ["T", { a: "1" }]);
    const again = await owner.made(`/skills/${id}`, { metadata: { b: "2", a: null } });
    assert.deepEqual([again.display_title, again.metadata], ["T", { b: "2" }]);
    assert.deepEqual(await owner.made(`/skills/${id}`, {}), again);
    assert.equal((await owner.post(`/skills/${id}`, { name: "x" })).body.error.param, "name");
    const archived = (await owner.post(`/skills/${id}/archive`)).body;
    assert.deepEqual([archived.status, archived.archived_at === null], ["archived", false]);
    assert.deepEqual((await owner.post(`/skills/${id}/archive`)).body, archived);
    assert.equal((await owner.post(`/skills/${id}`, {})).status, 403);
    assert.equal((await postSkill(owner, "tidy", `/skills/${id}/versions`)).status, 403);
    assert.deepEqual((await owner.get("/skills")).body.data, []);
    assert.deepEqual((await owner.get("/skills?include_archived=true")).body.data, [archived]);
  });

  test("delete: removes the content, unless a file has it too", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const text = manual("one");
    const one = (await postZip(owner, zip([{ name: "SKILL.md", content: text }]))).body;
    await owner.upload(text);
    assert.equal(stored(app.blobsDir), 1);
    const two = (await postSkill(owner, "two")).body;
    await postZip(
      owner,
      zip([{ name: "SKILL.md", content: manual("two", "x") }]),
      `/skills/${two.id}/versions`,
    );
    assert.equal(stored(app.blobsDir), 3);
    assert.equal((await owner.delete(`/skills/${two.id}/versions/2`)).body.type, "skill_version_deleted");
    assert.equal((await owner.delete(`/skills/${two.id}/versions/2`)).status, 404);
    assert.equal((await owner.get(`/skills/${two.id}`)).body.latest_version, 1);
    const only = await owner.delete(`/skills/${two.id}/versions/1`);
    assert.deepEqual([only.status, only.body.error.type], [409, "conflict_error"]);
    const third = await postSkill(owner, "two", `/skills/${two.id}/versions`);
    assert.equal(third.body.version, 3);
    assert.equal(stored(app.blobsDir), 2);
    for (const { id } of [one, two]) {
      assert.deepEqual((await owner.delete(`/skills/${id}`)).body, { id, type: "skill_deleted" });
      assert.equal((await owner.get(`/skills/${id}`)).status, 404);
    }
    assert.equal(stored(app.blobsDir), 1);
    assert.equal((await postSkill(owner, "two")).status, 200);
  });

  test("access: other users can neither read nor change a skill", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const { id } = (await postSkill(owner, "tidy")).body;
    const other = await app.caller({ email: "other@example.com" });
    for (const path of ["", "/versions", "/versions/1"]) {
      assert.equal((await other.get(`/skills/${id}${path}`)).status, 403);
      assert.equal((await other.get(`/skills/skill_01h00000000000000000000000${path}`)).status, 404);
    }
    assert.equal((await other.delete(`/skills/${id}`)).status, 403);
    assert.equal((await other.delete(`/skills/${id}/versions/1`)).status, 403);
    assert.equal((await other.post(`/skills/${id}`, {})).status, 403);
    assert.equal((await other.post(`/skills/${id}/archive`)).status, 403);
    assert.equal((await postSkill(other, "tidy", `/skills/${id}/versions`)).status, 403);
    assert.deepEqual((await other.get("/skills")).body.data, []);
    const reader = await app.caller({ scopes: ["skills:read"] });
    assert.equal((await postSkill(reader, "more")).status, 403);
    assert.equal((await reader.get(`/skills/${id}`)).status, 200);
  });
});
