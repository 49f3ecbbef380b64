import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { rangesByReference } from "../../test-support/mask-reference.ts";
import { FormTrie } from "./form-trie.ts";
import { FoundRanges } from "./found-ranges.ts";
import { secretForms } from "./secret-forms.ts";
import { SecretMask } from "./secret-mask.ts";
import { TextSearch } from "./text-search.ts";

const SECRET = "ghp_q7xtoken";

function maskOf(...secrets: string[]): SecretMask {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return mask;
}

/** Text that may stand between a secret's characters, and text that misleads the search. */
const PARTS = [
  ...SECRET,
  ...["ghp_", "q7x", "token", "_q7xtoke", SECRET, SECRET.toUpperCase()],
  ...[
    "\u001b[31m",
    "\u001b]0;title\u0007",
    "\u001b]8;;x\u001b\\",
    "\u001b(B",
    "\u009b1m",
    "\u001b[",
    "\u0007",
  ],
  ...["=\n", "=\r\n", "=", "\n", "\r\n", "\n+", "\n-", "\n > ", "\n> > ", "\n| "],
  ...["\n   12\t", "\n12:", "\na/b.ts:12:", "\n/a/b.ts:", "\na/b.ts-12-", "\n12:+", "\n   7\t-"],
  ...["%67", "%68%70", "%5", "%", "\\x67", "\\u0068", "\\160", "\\_", "\\", "\\n", "\\n+", "\\\\", "\\u00"],
  ...[" ", "\t", "\u200b"],
];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }).map((parts) => parts.join(""));
/** A whole secret with text of one kind between its characters. */
const foldedSecret = fc
  .tuple(
    fc.constantFrom(...PARTS.filter((part) => /^[^\w]/.test(part) && !/^(?:%|\\)/.test(part))),
    fc.integer({ min: 1, max: 11 }),
  )
  .map(([between, n]) => SECRET.slice(0, n) + between + SECRET.slice(n));

test("stream: any text in any pieces → what masking the whole gives", () => {
  const mask = maskOf(SECRET);
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.oneof(text, foldedSecret), { maxLength: 4 }), sizes, (parts, sizes) => {
      const whole = parts.join("");
      assert.equal(streamed(mask, whole, sizes), mask.mask(whole));
    }),
    { numRuns: 600 },
  );
});

function streamed(mask: SecretMask, whole: string, sizes: readonly number[]): string {
  const stream = mask.stream();
  let shown = "";
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    shown += stream.write(whole.slice(at, at + size));
    at += size;
  }
  return shown + stream.end();
}

test("search: any text → everything that a search without state finds, and no more around a secret folded once", () => {
  const trie = new FormTrie(secretForms(SECRET));
  fc.assert(
    fc.property(fc.array(fc.oneof(text, foldedSecret), { maxLength: 4 }), (parts) => {
      const found = rangesOf(trie, parts.join(""));
      for (const { start, end } of rangesByReference(parts.join(""), SECRET))
        assert.ok(
          found.some((range) => range.start <= start && end <= range.end),
          JSON.stringify({ start, end, found }),
        );
    }),
    {
      numRuns: 600,
      examples: [
        [["g\n/a/b.ts:\n-\u001b[", "g\u001b[31mhp_q7xtoken"]],
        // A line of a search, then one of a diff.
        [["g\n/a/b.ts:\n-hp_q7xtoken"]],
        [["ghp_\n12:q7x\n+token"]],
      ],
    },
  );
  fc.assert(
    fc.property(fc.tuple(fc.lorem(), foldedSecret, fc.lorem()), (parts) => {
      const whole = parts.join("\n");
      assert.deepEqual(rangesOf(trie, whole), united(rangesByReference(whole, SECRET)));
    }),
    { numRuns: 200 },
  );
});

function rangesOf(trie: FormTrie, whole: string): { start: number; end: number }[] {
  const found = new FoundRanges();
  const search = new TextSearch(trie, found, 0);
  search.write(whole);
  search.end();
  return found.takeBefore(Number.POSITIVE_INFINITY);
}

function united(ranges: readonly { start: number; end: number }[]): { start: number; end: number }[] {
  const found = new FoundRanges();
  for (const { start, end } of ranges) found.add(start, end);
  return found.takeBefore(Number.POSITIVE_INFINITY);
}
