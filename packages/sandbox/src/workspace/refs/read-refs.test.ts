import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { delimiter, flush, line, readPackets } from "./pkt-line.ts";
import { readCapabilities, readRefs } from "./read-refs.ts";
import { digestRefs, isRefName } from "./remote-refs.ts";

const sha1 = { objectFormat: "sha1" } as const;
const [one, two] = ["1".repeat(40), "2".repeat(40)];
const bytes = (...parts: string[]): Uint8Array => Buffer.from(parts.join(""));

test("packets that were written are read again, whatever they hold", () => {
  const text = fc.string({ unit: "binary", maxLength: 500 });
  const packet = fc.oneof(text, fc.constant(null), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(packet), (packets) => {
      const written = packets.map((one) =>
        one === null ? flush : one === undefined ? delimiter : line(one),
      );
      const expected = packets.map((one) =>
        one === null
          ? { type: "flush" }
          : one === undefined
            ? { type: "delimiter" }
            : { type: "line", text: one },
      );
      assert.deepEqual(readPackets(bytes(...written)), expected);
    }),
  );
});

test("no bytes make the readers throw, and what is cut off is no list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (garbage) => {
      readPackets(garbage);
      readCapabilities(garbage);
      await readRefs(garbage, sha1);
    }),
  );
  const whole = bytes(
    line(`${one} HEAD symref-target:refs/heads/main\n`),
    line(`${one} refs/heads/main\n`),
    flush,
  );
  assert.notEqual(await readRefs(whole, sha1), null);
  for (let length = 0; length < whole.length; length++)
    assert.equal(await readRefs(whole.subarray(0, length), sha1), null, `the first ${length} bytes`);
});

test("refs and HEAD are read, with what tags point at passed over", async () => {
  const refs = await readRefs(
    bytes(
      line(`${one} HEAD symref-target:refs/heads/main\n`),
      line(`${one} refs/heads/main\n`),
      line(`${two} refs/tags/v1 peeled:${one}\n`),
      flush,
    ),
    sha1,
  );
  assert.equal(refs?.head, "refs/heads/main");
  assert.deepEqual(Object.fromEntries(refs?.objects ?? []), { "refs/heads/main": one, "refs/tags/v1": two });
});

test("a HEAD that points at no branch that is there is none", async () => {
  const head = async (text: string) =>
    (await readRefs(bytes(line(text), line(`${one} refs/heads/main\n`), flush), sha1))?.head;
  assert.equal(await head(`${one} HEAD\n`), null);
  assert.equal(await head(`${one} HEAD symref-target:refs/heads/gone\n`), null);
  assert.equal(await head(`${one} HEAD symref-target:refs/tags/main\n`), null);
});

test("what hostile servers say is no list", async () => {
  for (const text of [
    "unborn HEAD symref-target:refs/heads/main",
    `${one} refs/heads/../../etc/passwd`,
    `${one} refs/heads/a.lock`,
    `${one} refs/heads/-b`.replace("-b", "b\u0007"),
    `${one} refs/heads/`,
    `${one} refs/remotes/origin/main`,
    `${one}`,
    `${"1".repeat(64)} refs/heads/main`,
    `${"Z".repeat(40)} refs/heads/main`,
    "ERR access denied",
    "",
  ])
    assert.equal(await readRefs(bytes(line(text), flush), sha1), null, text);
  const main = line(`${one} refs/heads/main\n`);
  assert.equal(await readRefs(bytes(main, main, flush), sha1), null, "twice the same");
  assert.equal(await readRefs(bytes(main), sha1), null, "no end");
  assert.equal(await readRefs(bytes(main, flush, main, flush), sha1), null, "more after the end");
  assert.equal(await readRefs(bytes(main, delimiter, flush), sha1), null, "a section");
});

test("a long list leaves other work its turns, and one that is none is left at its first fault", async () => {
  const count = 100_000;
  const list = Array.from({ length: count }, (_, n) => line(`${one} refs/tags/${n}\n`));
  let turns = 0;
  let read = false;
  const others = (): void => {
    turns += 1;
    if (!read) setImmediate(others);
  };
  setImmediate(others);
  const refs = await readRefs(bytes(...list, flush), sha1);
  read = true;
  assert.equal(refs?.objects.size, count);
  assert.ok(turns >= count / 1_000, `${turns} turns`);

  for (const packet of ["0005x", "0004", "0001"]) {
    const flood = Buffer.from(packet.repeat(1_000_000));
    const before = process.threadCpuUsage();
    assert.equal(await readRefs(flood, sha1), null);
    assert.ok(process.threadCpuUsage(before).user < 50_000, packet);
  }
});

test("only version 2 with a list of refs counts, with or without the name of the service before it", () => {
  const offer = (...lines: string[]) => bytes(...lines.map((text) => line(`${text}\n`)), flush);
  const two = ["version 2", "agent=git/2.39", "ls-refs=unborn", "fetch=shallow", "object-format=sha1"];
  assert.deepEqual(readCapabilities(offer(...two)), sha1);
  const named = bytes(line("# service=git-upload-pack\n"), flush, Buffer.from(offer(...two)).toString());
  assert.deepEqual(readCapabilities(named), sha1);
  assert.deepEqual(readCapabilities(offer("version 2", "ls-refs", "object-format=sha256")), {
    objectFormat: "sha256",
  });
  assert.equal(readCapabilities(offer("version 1", "ls-refs")), null);
  assert.equal(readCapabilities(offer("version 2", "fetch")), null);
  assert.equal(readCapabilities(offer("version 2", "ls-refs", "object-format=md5")), null);
  assert.equal(readCapabilities(offer(`${one} HEAD\0multi_ack symref=HEAD:refs/heads/main`)), null);
});

test("a digest tells apart every two lists, and nothing by their order", () => {
  const name = fc.stringMatching(/^refs\/(heads|tags)\/[a-z]{1,6}$/);
  const object = fc.stringMatching(/^[0-9a-f]{40}$/);
  const refs = fc
    .tuple(fc.uniqueArray(fc.tuple(name, object), { selector: ([key]) => key }), fc.option(name))
    .map(([list, head]) => ({ head, objects: new Map(list) }));
  fc.assert(
    fc.property(refs, refs, (left, right) => {
      const shown = (value: typeof left) => JSON.stringify([value.head, [...value.objects].sort()]);
      assert.equal(digestRefs(left) === digestRefs(right), shown(left) === shown(right));
      assert.equal(digestRefs({ ...left, objects: new Map([...left.objects].reverse()) }), digestRefs(left));
    }),
  );
});

test("a name that git would refuse is no name", () => {
  for (const name of ["refs/heads/main", "refs/heads/a/b-c", "refs/tags/v1.0", "refs/heads/ü"])
    assert.ok(isRefName(name), name);
  for (const name of ["refs/heads/.a", "refs/heads/a..b", "refs/heads/a@{1}", "refs/heads/a b", "main"])
    assert.ok(!isRefName(name), name);
});
