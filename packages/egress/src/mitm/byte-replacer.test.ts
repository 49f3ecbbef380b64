import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteAutomaton } from "./byte-automaton.ts";
import { ByteReplacement } from "./byte-replacement.ts";
import { ByteReplacer } from "./byte-replacer.ts";

interface Replacement {
  find: Buffer;
  put: Buffer;
}

function replacerOf(replacements: readonly Replacement[]): ByteReplacer {
  const automaton = new ByteAutomaton(replacements.map(({ find }) => find));
  return new ByteReplacer(
    new ByteReplacement(
      automaton,
      replacements.map(({ put }) => put),
    ),
  );
}

async function through(chunks: readonly Buffer[], replacements: readonly Replacement[]): Promise<string> {
  const replacer = replacerOf(replacements);
  const out = replacer.toArray();
  for (const chunk of chunks) replacer.write(chunk);
  replacer.end();
  return Buffer.concat(await out).toString("latin1");
}

/** Texts of two letters, so that prefixes, repeats and overlaps are frequent. */
const letters = (minimum: number, maximum: number) =>
  fc.string({ unit: fc.constantFrom("a", "b"), minLength: minimum, maxLength: maximum });

const needles = fc
  .uniqueArray(letters(1, 6), { minLength: 1, maxLength: 4 })
  .map((words) => words.map((find, index) => ({ find, put: `<${index}>` })));

/** Returns the result of a regular expression with the longest alternative first. */
function expected(text: string, words: readonly { find: string; put: string }[]): string {
  const longestFirst = words.toSorted((one, other) => other.find.length - one.find.length);
  const pattern = new RegExp(longestFirst.map(({ find }) => find).join("|"), "g");
  return text.replace(pattern, (found) => words.find(({ find }) => find === found)?.put ?? "");
}

const asBytes = (words: readonly { find: string; put: string }[]): Replacement[] =>
  words.map(({ find, put }) => ({ find: Buffer.from(find), put: Buffer.from(put) }));

test("byte replacer: any chunking gives the result of the whole text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(letters(0, 9), { maxLength: 12 }), needles, async (pieces, words) => {
      const cut = await through(
        pieces.map((piece) => Buffer.from(piece)),
        asBytes(words),
      );
      assert.equal(cut, expected(pieces.join(""), words));
      for (const { find } of words) assert.ok(!cut.includes(find));
    }),
    { numRuns: 2_000 },
  );
});

test("byte replacer: only bytes that may begin a match are held back", async () => {
  const replacer = replacerOf(asBytes([{ find: "secret", put: "x" }]));
  const got: string[] = [];
  replacer.on("data", (chunk: Buffer) => got.push(chunk.toString()));
  for (const chunk of ["data: se", "ven\n\n", "s", "ecre", "t"]) {
    replacer.write(chunk);
    await new Promise(setImmediate);
  }
  replacer.end();
  await new Promise(setImmediate);
  assert.deepEqual(got, ["data: ", "seven\n\n", "x"]);
});

test("byte replacer: a long value and hostile bytes take linear time", async () => {
  const find = Buffer.alloc(32_768, "a");
  const chunks = Array.from({ length: 400 }, () => Buffer.alloc(1_000, "a"));
  const before = process.threadCpuUsage();
  const out = await through(chunks, [{ find, put: Buffer.from("x") }]);
  assert.ok(process.threadCpuUsage(before).user < 4_000_000);
  assert.equal(out, `${"x".repeat(12)}${"a".repeat(400_000 - 12 * 32_768)}`);
});
