import assert from "node:assert/strict";
import { existsSync, utimesSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { type BlobStore, contentPath, openDiskBlobs, type StagedBlob } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import { lockContent } from "@berth/store/files";
import { type Caller, testApp } from "../../../test-support/http.ts";
import { sweepContents } from "./sweep-contents.ts";

async function house(t: TestContext) {
  const app = await testApp(t);
  return {
    ...app,
    owner: await app.caller(),
    directory: app.blobsDir,
    blobs: await openDiskBlobs(app.blobsDir),
  };
}

async function staged(blobs: BlobStore, content: string): Promise<StagedBlob> {
  return await blobs.stage(
    (async function* () {
      yield Buffer.from(content);
    })(),
  );
}

test("sweep: old contents without a row → removed; those of files and skill versions → kept", async (t) => {
  const { db, owner, blobs, directory } = await house(t);
  const file = (await owner.upload("a file")).body;
  const manual = "---\nname: a\ndescription: b\n---\n";
  const skill = await owner.form("/skills", [{ name: "files[]", filename: "a/SKILL.md", content: manual }]);
  assert.equal(skill.status, 200, skill.text);
  const [old, young] = [await staged(blobs, "old"), await staged(blobs, "young")];
  for (const content of [old, young]) await content.keep();
  const all: string[] = [];
  for await (const names of blobs.names()) all.push(...names);
  assert.equal(all.length, 4);
  for (const name of all) if (name !== young.sha256) utimesSync(contentPath(directory, name), 0, 0);
  await sweepContents(db, blobs);
  const left = all.filter((name) => existsSync(contentPath(directory, name)));
  assert.deepEqual(
    left,
    all.filter((name) => name !== old.sha256),
  );
  assert.equal((await owner.get(`/files/${file.id}/content`)).body, "a file");
});

test("sweep: a content that is being stored → kept", async (t) => {
  const { db, owner, blobs, directory } = await house(t);
  const model = (await owner.upload("another")).body;
  const content = await staged(blobs, "being stored");
  let sweep: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await lockContent(tx, content.sha256);
    await content.keep();
    utimesSync(contentPath(directory, content.sha256), 0, 0);
    sweep = sweepContents(db, blobs);
    await untilSomebodyWaits(db);
    await tx.query({
      text: `insert into files (id, organization_id, owner_type, owner_id, filename, mime_type, size_bytes, sha256, status)
        select $1, organization_id, owner_type, owner_id, filename, mime_type, 12, $2, 'ready' from files where filename = $3`,
      values: [newUuid(), content.sha256, model.filename],
    });
  });
  await sweep;
  assert.ok(existsSync(contentPath(directory, content.sha256)));
});

async function untilSomebodyWaits(db: Database): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  const text = "select 1 from pg_locks where locktype = 'advisory' and not granted";
  while ((await db.read.query({ text })).rows.length === 0) deadline.throwIfAborted();
}

test("sweep: concurrent with an upload of the same content → the upload has its content", async (t) => {
  const { db, owner, blobs } = await house(t);
  const over = new AbortController();
  const sweeping = sweepUntil(over.signal, () => sweepContents(db, blobs, { graceMs: -1 }));
  const uploaders = Array.from({ length: 3 }, () => uploadAndDelete(owner, 15));
  const uploaded = await Promise.all(uploaders).finally(() => over.abort());
  const sweeps = await sweeping;
  assert.ok(sweeps > 5, `${sweeps} sweeps`);
  assert.equal(uploaded.flat().length, 45);
  await sweepContents(db, blobs, { graceMs: -1 });
  for await (const names of blobs.names()) assert.deepEqual(names, []);
});

async function sweepUntil(signal: AbortSignal, sweep: () => Promise<void>): Promise<number> {
  for (let count = 0; ; count += 1) {
    if (signal.aborted) return count;
    await sweep();
  }
}

/** Uploads the same content each time, concurrently with others, and deletes it again. */
async function uploadAndDelete(owner: Caller, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let round = 0; round < times; round += 1) {
    const { id } = (await owner.upload("the same")).body;
    const read = await owner.get(`/files/${id}/content`);
    assert.deepEqual([read.status, read.body], [200, "the same"], `round ${round}`);
    assert.equal((await owner.delete(`/files/${id}`)).status, 200);
    ids.push(id);
  }
  return ids;
}
