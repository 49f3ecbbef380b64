import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DELIMITER, encodeLine, FLUSH, readPackets } from "./pkt-line.ts";
import { readCapabilities, readRefs } from "./read-refs.ts";
import { digestRefs, isRefName } from "./remote-refs.ts";

const SHA1 = { objectFormat: "sha1" } as const;
const [one, two] = ["1".repeat(40), "2".repeat(40)];
const bytes = (...parts: string[]): Uint8Array => Buffer.from(parts.join(""));

test("packets: any list is encoded and parsed → the same list", () => {
  const text = fc.string({ unit: "binary", maxLength: 500 });
  const packet = fc.oneof(text, fc.constant(null), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(packet), (packets) => {
      const written = packets.map((one) =>
        one === null ? FLUSH : one === undefined ? DELIMITER : encodeLine(one),
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

test("readers: any bytes → no error; a truncated list → null", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (garbage) => {
      readPackets(garbage);
      readCapabilities(garbage);
      await readRefs(garbage, SHA1);
    }),
  );
  const whole = bytes(
    encodeLine(`${one} HEAD symref-target:refs/heads/main\n`),
    encodeLine(`${one} refs/heads/main\n`),
    FLUSH,
  );
  assert.notEqual(await readRefs(whole, SHA1), null);
  for (let length = 0; length < whole.length; length++)
    assert.equal(await readRefs(whole.subarray(0, length), SHA1), null, `the first ${length} bytes`);
});

test("read refs: refs, HEAD and a peeled tag → objects by name, without the peeled object", async () => {
  const refs = await readRefs(
    bytes(
      encodeLine(`${one} HEAD symref-target:refs/heads/main\n`),
      encodeLine(`${one} refs/heads/main\n`),
      encodeLine(`${two} refs/tags/v1 peeled:${one}\n`),
      FLUSH,
    ),
    SHA1,
  );
  assert.equal(refs?.head, "refs/heads/main");
  assert.deepEqual(Object.fromEntries(refs?.objects ?? []), { "refs/heads/main": one, "refs/tags/v1": two });
});

test("read refs: HEAD points at no existing branch → no head", async () => {
  const head = async (text: string) =>
    (await readRefs(bytes(encodeLine(text), encodeLine(`${one} refs/heads/main\n`), FLUSH), SHA1))?.head;
  assert.equal(await head(`${one} HEAD\n`), null);
  assert.equal(await head(`${one} HEAD symref-target:refs/heads/gone\n`), null);
  assert.equal(await head(`${one} HEAD symref-target:refs/tags/main\n`), null);
});

test("read refs: invalid names, ids or sequences → null", async () => {
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
    assert.equal(await readRefs(bytes(encodeLine(text), FLUSH), SHA1), null, text);
  const main = encodeLine(`${one} refs/heads/main\n`);
  assert.equal(await readRefs(bytes(main, main, FLUSH), SHA1), null, "twice the same");
  assert.equal(await readRefs(bytes(main), SHA1), null, "no end");
  assert.equal(await readRefs(bytes(main, FLUSH, main, FLUSH), SHA1), null, "more after the end");
  assert.equal(await readRefs(bytes(main, DELIMITER, FLUSH), SHA1), null, "a section");
});

test("read refs: a long list → the event loop continues; an invalid one → parsing stops at the first error", async () => {
  const count = 100_000;
  const list = Array.from({ length: count }, (_, n) => encodeLine(`${one} refs/tags/${n}\n`));
  let ticks = 0;
  let read = false;
  const others = (): void => {
    ticks += 1;
    if (!read) setImmediate(others);
  };
  setImmediate(others);
  const refs = await readRefs(bytes(...list, FLUSH), SHA1);
  read = true;
  assert.equal(refs?.objects.size, count);
  assert.ok(ticks >= count / 1_000, `${ticks} ticks`);

  for (const packet of ["0005x", "0004", "0001"]) {
    const flood = Buffer.from(packet.repeat(1_000_000));
    const before = process.threadCpuUsage();
    assert.equal(await readRefs(flood, SHA1), null);
    assert.ok(process.threadCpuUsage(before).user < 50_000, packet);
  }
});

test("capabilities: version 2 with ls-refs, with or without the service header → accepted; anything else → null", () => {
  const offer = (...lines: string[]) => bytes(...lines.map((text) => encodeLine(`${text}\n`)), FLUSH);
  const two = ["version 2", "agent=git/2.39", "ls-refs=unborn", "fetch=shallow", "object-format=sha1"];
  assert.deepEqual(readCapabilities(offer(...two)), SHA1);
  const named = bytes(
    encodeLine("# service=git-upload-pack\n"),
    FLUSH,
    Buffer.from(offer(...two)).toString(),
  );
  assert.deepEqual(readCapabilities(named), SHA1);
  assert.deepEqual(readCapabilities(offer("version 2", "ls-refs", "object-format=sha256")), {
    objectFormat: "sha256",
  });
  assert.equal(readCapabilities(offer("version 1", "ls-refs")), null);
  assert.equal(readCapabilities(offer("version 2", "fetch")), null);
  assert.equal(readCapabilities(offer("version 2", "ls-refs", "object-format=md5")), null);
  assert.equal(readCapabilities(offer(`${one} HEAD\0multi_ack symref=HEAD:refs/heads/main`)), null);
});

test("digest: two lists → equal exactly when head, names and objects are, in any order", () => {
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

test("ref names: valid by git's rules → accepted; others → rejected", () => {
  for (const name of ["refs/heads/main", "refs/heads/a/b-c", "refs/tags/v1.0", "refs/heads/ü"])
    assert.ok(isRefName(name), name);
  for (const name of ["refs/heads/.a", "refs/heads/a..b", "refs/heads/a@{1}", "refs/heads/a b", "main"])
    assert.ok(!isRefName(name), name);
});
