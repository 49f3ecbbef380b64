import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import type { BlobStore } from "../src/blobs/interface/blob-store.ts";
import { ContentLostError } from "../src/blobs/interface/partial-blob.ts";
import type { TestStore } from "./blob-stores.ts";
import { pieces } from "./pieces.ts";

const MIB = 1_048_576;

/**
 * Describes the tests of every store of contents.
 * @param open Opens a new store for a test.
 */
export function describeStore(name: string, open: (t: TestContext) => Promise<TestStore>): void {
  describe(`contents in ${name}`, () => {
    for (const size of [0, 10, 300_000, 8 * MIB, 17 * MIB + 1]) {
      test(`stage: ${size} bytes → read back, whole and in ranges; equal contents are stored once`, async (t) => {
        const { blobs } = await open(t);
        const content = randomBytes(size);
        const staged = await blobs.stage(pieces(content.subarray(0, 100_000), content.subarray(100_000)));
        assert.deepEqual([staged.sha256, staged.size], [digest(content), size]);
        const { path, release } = await staged.local();
        assert.deepEqual(readFileSync(path), content);
        await release();
        await staged.keep();
        await staged.discard();
        await (await blobs.stage(pieces(content))).keep();
        assert.deepEqual(await namesOf(blobs), [staged.sha256]);
        assert.deepEqual(await buffer(blobs.read(staged.sha256)), content);
        if (size === 0) return;
        for (const [start, end] of [
          [1, 1],
          [0, size - 1],
          [size >> 1, size - 1],
          [3, 9],
        ] as const) {
          const range = await buffer(blobs.read(staged.sha256, { start, end }));
          assert.deepEqual(range, content.subarray(start, end + 1), `${start}-${end}`);
        }
        assert.ok((await blobs.age(staged.sha256)) < 600_000);
      });
    }

    test("storeAll: many contents, of which some exist already → read back; nothing else is left", async (t) => {
      const { blobs } = await open(t);
      const contents = [
        Buffer.alloc(0),
        ...Array.from({ length: 40 }, (_, size) => randomBytes(size * 100 + 1)),
      ];
      const named = (some: readonly Buffer[]) => new Map(some.map((bytes) => [digest(bytes), bytes]));
      await blobs.storeAll(named(contents.slice(0, 5)));
      await (await blobs.stage(pieces(...contents.slice(6, 7)))).keep();
      await blobs.storeAll(named(contents));
      await blobs.storeAll(new Map());
      assert.deepEqual((await namesOf(blobs)).toSorted(), [...named(contents).keys()].toSorted());
      for (const [name, bytes] of named(contents)) assert.deepEqual(await buffer(blobs.read(name)), bytes);
      await blobs.removeAbandoned(-1);
      assert.equal((await namesOf(blobs)).length, contents.length);
    });

    for (const size of [10, 9 * MIB])
      test(`stage: the source fails after ${size} bytes, or the content is discarded → nothing is left`, async (t) => {
        const { blobs } = await open(t);
        await assert.rejects(blobs.stage(pieces(randomBytes(size), new Error("cut"))), /cut/);
        await (await blobs.stage(pieces(randomBytes(size)))).discard();
        await blobs.removeAbandoned(-1);
        assert.deepEqual(await namesOf(blobs), []);
      });

    test("local: a file with the bytes until its release; read, local, age and remove of what is not there", async (t) => {
      const { blobs } = await open(t);
      const content = randomBytes(1_000);
      const { sha256, keep } = await blobs.stage(pieces(content));
      await keep();
      const [one, other] = await Promise.all([blobs.local(sha256), blobs.local(sha256)]);
      await one.release();
      assert.deepEqual(readFileSync(other.path), content);
      await other.release();
      const absent = digest(randomBytes(9));
      await assert.rejects(buffer(blobs.read(absent)), { code: "ENOENT" });
      assert.equal(await blobs.age(absent), 0);
      await blobs.remove(absent);
      await blobs.remove(sha256);
      await assert.rejects(buffer(blobs.read(sha256)), { code: "ENOENT" });
    });

    test("partial: parts of any size over several processes, also after a failure → the content", async (t) => {
      const { blobs, another } = await open(t);
      const [id, content] = [randomUUID(), randomBytes(29 * MIB)];
      let received = 0;
      const ends = [1, 3 * MIB, 8 * MIB, 8 * MIB + 5, 20 * MIB, 29 * MIB];
      for (const [index, end] of ends.entries()) {
        const store = index % 2 === 0 ? blobs : await another();
        const failure = index % 3 === 1 ? [new Error("the connection breaks")] : [];
        const part = pieces(...chunks(content.subarray(received, end)), ...failure);
        const appended = store.partial(id).append(received, part, async (size) => {
          received = size;
        });
        await (failure.length > 0 ? assert.rejects(appended, /breaks/) : appended);
        assert.equal(received, end);
      }
      assert.deepEqual(await blobs.partialNames(), [id]);
      const staged = await (await another()).partial(id).stage(content.length);
      assert.deepEqual([staged.sha256, staged.size], [digest(content), content.length]);
      // A process that repeats the step after another one died gets the same content.
      const again = await blobs.partial(id).stage(content.length);
      await again.keep();
      await blobs.partial(id).remove();
      assert.deepEqual(await blobs.partialNames(), []);
      assert.deepEqual(await buffer(blobs.read(again.sha256)), content);
    });

    test("partial: what was received beyond the bytes that count is dropped", async (t) => {
      const { blobs } = await open(t);
      const [id, content] = [randomUUID(), randomBytes(12 * MIB)];
      const partial = blobs.partial(id);
      const nothing = async () => undefined;
      await partial.append(0, pieces(content.subarray(0, 2 * MIB)), nothing);
      await partial.append(2 * MIB, pieces(randomBytes(20 * MIB)), nothing);
      await partial.append(2 * MIB, pieces(content.subarray(2 * MIB)), nothing);
      const staged = await partial.stage(content.length);
      assert.equal(staged.sha256, digest(content));
      await partial.append(0, pieces(Buffer.from("anew, and more")), nothing);
      assert.equal((await partial.stage(4)).sha256, digest(Buffer.from("anew")));
      assert.equal((await partial.stage(0)).size, 0);
    });

    test("partial: fewer bytes than were counted → lost", async (t) => {
      const { blobs } = await open(t);
      const partial = blobs.partial(randomUUID());
      await assert.rejects(
        partial.append(1, pieces(randomBytes(3)), async () => undefined),
        ContentLostError,
      );
      await partial.append(0, pieces(randomBytes(3)), async () => undefined);
      await assert.rejects(partial.stage(4), ContentLostError);
      await partial.remove();
      await assert.rejects(partial.stage(3), ContentLostError);
    });

    test("the store: has one name for all its processes, and says that it can be used", async (t) => {
      const { blobs, another } = await open(t);
      const names = await Promise.all([blobs.id(), (await another()).id(), (await another()).id()]);
      assert.equal(new Set(names).size, 1);
      await blobs.check();
      assert.deepEqual(await namesOf(blobs), []);
    });
  });
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Splits bytes into chunks, as a socket yields them. */
function chunks(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / 65_536);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 65_536, (index + 1) * 65_536));
}

async function namesOf(blobs: BlobStore): Promise<string[]> {
  const all: string[] = [];
  for await (const names of blobs.names()) all.push(...names);
  return all;
}
