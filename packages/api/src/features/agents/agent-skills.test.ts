import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";
import { postSkill } from "../../../test-support/skills.ts";

const agent = { name: "a", model: "rehearsal/steps" };
const absent = "skill_01h00000000000000000000000";

async function skillOf(owner: Caller, name: string, versions = 1): Promise<Wire> {
  const { body } = await postSkill(owner, name);
  for (let n = 1; n < versions; n++) await postSkill(owner, name, `/skills/${body.id}/versions`);
  return body;
}

function named(skill: Wire, version?: number) {
  return { type: "custom", skill_id: skill.id, ...(version === undefined ? {} : { version }) };
}

async function sessionOf(owner: Caller, agent: Wire): Promise<Wire> {
  const environment = await owner.made("/environments", { name: `for ${agent.id} ${Math.random()}` });
  return await owner.made("/sessions", { agent, environment_id: environment.id });
}

describe("skills of agents and sessions", () => {
  test("an agent names skills → its session pins their versions", async (t) => {
    const owner = await (await testApp(t)).caller();
    const [one, two] = [await skillOf(owner, "one", 2), await skillOf(owner, "two", 2)];
    const made = await owner.made("/agents", { ...agent, skills: [named(one), named(two, 1)] });
    assert.deepEqual(made.skills, [
      { type: "custom", skill_id: one.id, version: null, name: "one" },
      { type: "custom", skill_id: two.id, version: 1, name: "two" },
    ]);
    const session = await sessionOf(owner, made.id);
    assert.deepEqual(
      session.agent.skills.map(({ version }: Wire) => version),
      [2, 1],
    );
    await postSkill(owner, "one", `/skills/${one.id}/versions`);
    assert.deepEqual((await owner.get(`/sessions/${session.id}`)).body.agent, session.agent);
    assert.equal((await sessionOf(owner, made.id)).agent.skills[0].version, 3);
    const kept = await owner.made(`/agents/${made.id}`, { version: 1, name: "b" });
    assert.deepEqual(kept.skills, made.skills);
    const cleared = await owner.made(`/agents/${made.id}`, { version: 2, skills: null });
    assert.deepEqual([cleared.skills, cleared.version], [[], 3]);
    assert.deepEqual((await owner.get(`/agents/${made.id}?version=1`)).body.skills, made.skills);
  });

  test("an agent names an absent, foreign or archived skill → the matching error", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const one = await skillOf(owner, "one");
    const refusal = async (skills: unknown, path = "/agents", body: object = agent) => {
      const { status, body: response } = await owner.post(path, { ...body, skills });
      return [status, response.error?.param, response.error?.message];
    };
    assert.equal((await refusal([named({ id: absent })]))[0], 404);
    assert.deepEqual((await refusal([named(one, 2)])).slice(0, 2), [404, "skills[0].version"]);
    assert.deepEqual((await refusal([named(one), named(one, 1)])).slice(0, 2), [400, "skills[1].skill_id"]);
    assert.deepEqual((await refusal([{ skill_id: one.id }])).slice(0, 2), [400, "skills[0].type"]);
    assert.deepEqual((await refusal([{ ...named(one), version: 0 }])).slice(0, 2), [
      400,
      "skills[0].version",
    ]);
    assert.equal((await refusal(Array.from({ length: 21 }, () => named(one))))[1], "skills");
    const theirs = await skillOf(await caller({ email: "other@example.com" }), "theirs");
    assert.equal((await refusal([named(theirs)]))[0], 403);
    const shared = await skillOf(await caller({ kind: "sat" }), "one");
    assert.deepEqual((await refusal([named(one), named(shared)])).slice(0, 2), [400, "skills[1].skill_id"]);
    const made = await owner.made("/agents", { ...agent, skills: [named(one)] });
    await owner.post(`/skills/${one.id}/archive`);
    assert.equal((await refusal([named(one)]))[0], 409);
    const kept = await owner.post(`/agents/${made.id}`, { version: 1, name: "b" });
    assert.deepEqual([kept.status, kept.body.skills], [200, made.skills]);
    assert.equal((await sessionOf(owner, made.id)).agent.skills[0].name, "one");
  });

  test("delete: a skill or version in use → rejected with 409", async (t) => {
    const owner = await (await testApp(t)).caller();
    const skill = await skillOf(owner, "one", 3);
    const status = async (path: string) => (await owner.delete(`/skills/${skill.id}${path}`)).status;
    const pinning = await owner.made("/agents", { ...agent, skills: [named(skill, 1)] });
    const session = await sessionOf(
      owner,
      await owner.made("/agents", { ...agent, skills: [named(skill)] }).then(({ id }) => id),
    );
    assert.deepEqual(
      [await status(""), await status("/versions/1"), await status("/versions/3")],
      [409, 409, 409],
    );
    assert.equal(await status("/versions/2"), 200);
    await owner.post(`/agents/${pinning.id}/archive`);
    assert.equal(await status("/versions/1"), 200);
    await owner.post(`/agents/${session.agent.id}/archive`);
    assert.equal(await status(""), 409);
    await owner.post(`/sessions/${session.id}/archive`);
    assert.equal(await status(""), 200);
    assert.deepEqual((await owner.get(`/sessions/${session.id}`)).body.agent.skills, session.agent.skills);
  });

  test("create session: the agent version's skill is deleted → rejected with 409", async (t) => {
    const owner = await (await testApp(t)).caller();
    const skill = await skillOf(owner, "one");
    const made = await owner.made("/agents", { ...agent, skills: [named(skill)] });
    await owner.made(`/agents/${made.id}`, { version: 1, skills: [] });
    assert.equal((await owner.delete(`/skills/${skill.id}`)).status, 200);
    const environment = await owner.made("/environments", { name: "e" });
    const older = { id: made.id, type: "agent", version: 1 };
    const { status, body } = await owner.post("/sessions", { agent: older, environment_id: environment.id });
    assert.deepEqual([status, body.error.type], [409, "conflict_error"]);
    assert.match(body.error.message, /^The agent uses skill 'skill_\w+', which was deleted\.$/);
  });

  test("delete: concurrent with new uses of the skill → exactly one side succeeds", async (t) => {
    const owner = await (await testApp(t)).caller();
    for (let round = 0; round < 4; round++) {
      const skill = await skillOf(owner, `skill-${round}`);
      const [deleted, made] = await Promise.all([
        owner.delete(`/skills/${skill.id}`),
        owner.post("/agents", { ...agent, skills: [named(skill)] }),
      ]);
      const outcome = `${deleted.status} ${made.status}`;
      assert.ok(outcome === "200 404" || outcome === "409 200", outcome);
    }
  });
});
