import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Model } from "@berth/agent";
import { createRehearsalModel } from "@berth/agent/models";
import { insertSkill, insertSkillVersion } from "@berth/api/test-support/internals/features";
import { formatId, newUuid } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import { testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { bash, type Installation, idles, installation, steps } from "../../test-support/worker.ts";
import { SkillDirectories } from "./skill-directories.ts";
import type { PinnedSkill } from "./skill-store.ts";

const files = { "SKILL.md": "Read me.\n", "scripts/run.sh": "#!/bin/sh\n", empty: "" };

/** Stores a skill, and returns it with its version's uuid. */
async function makeSkill(own: Installation, { organizationId }: Seed, name: string, description: string) {
  const blobs = await openDiskBlobs(own.blobs);
  const content = await blobs.stage(
    (async function* () {
      for (const text of Object.values(files)) yield Buffer.from(text);
    })(),
  );
  await content.keep();
  let offset = 0;
  const packed = Object.entries(files).map(([path, text]) => {
    const sha256 = createHash("sha256").update(text).digest("hex");
    const file = { path, offset, size_bytes: text.length, executable: path.endsWith(".sh"), sha256 };
    offset += text.length;
    return file;
  });
  const [skill_id, id] = [newUuid(), newUuid()];
  const owner = {
    organization_id: organizationId,
    owner_type: "organization",
    owner_id: organizationId,
    organization_access: null,
  } as const;
  await insertSkill(own.db.write, { id: skill_id, ...owner, name, display_title: null, metadata: {} });
  const { sha256, size: size_bytes } = content;
  await insertSkillVersion(own.db.write, { id, skill_id, description, sha256, size_bytes, files: packed });
  return { id, agentSkill: { type: "custom", skill_id: formatId("skill", skill_id), version: 1, name } };
}

async function sessionWith(db: Database, from: Seed, skills: { id: string; agentSkill: object }[]) {
  const id = await seedSession(db.write, from);
  for (const skill of skills) {
    await db.write.query({ text: "insert into session_skills values ($1, $2)", values: [id, skill.id] });
  }
  await db.write.query({
    text: "update sessions set agent = jsonb_set(agent::jsonb, '{skills}', $2::jsonb)::json where id = $1",
    values: [id, JSON.stringify(skills.map(({ agentSkill }) => agentSkill))],
  });
  return id;
}

async function pinnedOf(db: Database, sessionId: string): Promise<PinnedSkill[]> {
  const { rows } = await db.write.query<PinnedSkill>({
    text: `select v.id, skills.name, v.sha256, v.files from session_skills
      join skill_versions v on v.id = skill_version_id join skills on skills.id = v.skill_id where session_id = $1`,
    values: [sessionId],
  });
  return rows;
}

describe("skills of a session", () => {
  test("pinned skills → the same system prompt in every turn, and mounted in the sandbox", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    const skills = [
      await makeSkill(own, from, "zeta", "Does Z."),
      await makeSkill(own, from, "alpha", "Does\n A."),
    ];
    const sessionId = await sessionWith(db, from, skills);
    const prompts: string[] = [];
    const rehearsal = createRehearsalModel();
    const model: Model = {
      ...rehearsal,
      stream(request, signal) {
        prompts.push(request.system);
        return rehearsal.stream(request, signal);
      },
    };
    await own.worker({ model: () => model, sandboxIdleMs: 0 });
    for (const turn of [1, 2]) {
      const closed = once(own.engine.events, "closed");
      await own.send(sessionId, steps(bash("true")));
      await own.until(sessionId, (entries) => idles(entries) === turn);
      await closed;
    }
    assert.ok(prompts.length >= 4);
    assert.equal(new Set(prompts).size, 1);
    assert.match(
      prompts[0] ?? "",
      /# Skills\n.*\n- \/mnt\/skills\/alpha\/SKILL\.md: Does A\.\n- \/mnt\/skills\/zeta\/SKILL\.md: Does Z\.$/,
    );
    const mounted = own.engine.specs.map(({ directories = [] }) => directories);
    assert.deepEqual(
      mounted[0]?.map(({ target }) => target),
      ["/mnt/skills/alpha", "/mnt/skills/zeta"],
    );
    assert.ok(mounted.length >= 2, "the sandbox was opened again");
    for (const again of mounted) assert.deepEqual(again, mounted[0]);
    const source = mounted[0]?.[0]?.source ?? "";
    for (const [path, text] of Object.entries(files))
      assert.equal(readFileSync(join(source, path), "utf8"), text);
    const modes = ["SKILL.md", "scripts", "scripts/run.sh"].map(
      (path) => statSync(join(source, path)).mode & 0o777,
    );
    assert.deepEqual(modes, [0o444, 0o755, 0o555]);
  });

  test("four sessions with one version → unpacked once, and mounted only when complete", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    const skill = await makeSkill(own, from, "alpha", "A.");
    const sessions = await Promise.all(Array.from({ length: 4 }, () => sessionWith(db, from, [skill])));
    await own.worker();
    await Promise.all(sessions.map((id) => own.send(id, steps(bash("true")))));
    await Promise.all(sessions.map((id) => own.until(id, (entries) => idles(entries) === 1)));
    const sources = new Set(own.engine.specs.map(({ directories }) => directories?.[0]?.source));
    assert.equal(sources.size, 1);
    const [source = ""] = sources;
    assert.deepEqual(readdirSync(join(source, "..")), [skill.id]);
  });

  test("sweep: a version was deleted → its directory is deleted, and no other", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    const directory = mkdtempSync(join(tmpdir(), "berth-skills-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const skills = await SkillDirectories.open(directory, await openDiskBlobs(own.blobs));
    const [kept, deleted] = [
      await makeSkill(own, from, "kept", "A."),
      await makeSkill(own, from, "gone", "B."),
    ];
    const session = await sessionWith(db, from, [kept, deleted]);
    await skills.mounts(await pinnedOf(db, session));
    assert.equal(readdirSync(directory).length, 2);
    await db.write.query({ text: "delete from skill_versions where id = $1", values: [deleted.id] });
    await skills.sweep(db.write);
    assert.deepEqual(readdirSync(directory), [kept.id]);
  });

  test("the content of a version is missing → session.error, and no sandbox is opened", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    const sessionId = await sessionWith(db, from, [await makeSkill(own, from, "alpha", "A.")]);
    await own.db.write.query({ text: "update skill_versions set sha256 = repeat('0', 64)" });
    await own.worker();
    await own.send(sessionId, steps(bash("true")));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.ok(
      log.some(({ event }) => event.type === "session.error" && event.error.type === "sandbox_error"),
    );
    assert.equal(own.engine.specs.length, 0);
  });
});
