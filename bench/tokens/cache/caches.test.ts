import assert from "node:assert/strict";
import test from "node:test";
import { AnthropicCache } from "./anthropic-cache.ts";
import { OpenAiCache } from "./openai-cache.ts";
import { type Block, type Charge, weighted } from "./prompt.ts";

const MINUTE = 60_000;

/**
 * Returns a block of 600 tokens for each word. A `*` at its end marks it for five minutes, a `+` for an hour.
 */
function prompt(words: string): Block[] {
  return words.split(" ").map((word) => {
    const marker = word.endsWith("*") ? "5m" : word.endsWith("+") ? "1h" : null;
    return { part: "message", text: word.replace(/[*+]$/, ""), tokens: 600, marker };
  });
}

function charged(given: Partial<Charge>): Charge {
  return { read: 0, written5m: 0, written1h: 0, uncached: 0, ...given };
}

test("what was written up to a marker is read while it lives, and a read lengthens its life", () => {
  const cache = new AnthropicCache();
  assert.deepEqual(cache.charge(prompt("a b* c"), 0), charged({ written5m: 1_200, uncached: 600 }));
  assert.deepEqual(cache.charge(prompt("a b c*"), 4 * MINUTE), charged({ read: 1_200, written5m: 600 }));
  assert.deepEqual(cache.charge(prompt("a b*"), 8 * MINUTE), charged({ read: 1_200 }));
  assert.deepEqual(cache.charge(prompt("a b*"), 14 * MINUTE), charged({ written5m: 1_200 }));
});

test("an hour's marker costs more and lives an hour; one of five minutes may follow it, not come before it", () => {
  const cache = new AnthropicCache();
  assert.deepEqual(cache.charge(prompt("a b+ c*"), 0), charged({ written1h: 1_200, written5m: 600 }));
  assert.deepEqual(cache.charge(prompt("a b+ c*"), 50 * MINUTE), charged({ read: 1_200, written5m: 600 }));
  assert.deepEqual(
    cache.charge(prompt("a b c d*"), 100 * MINUTE),
    charged({ read: 1_200, written5m: 1_200 }),
  );
  assert.throws(() => cache.charge(prompt("a* b+"), 0), /must not come after/);
});

test("fewer than 1,024 tokens are not written", () => {
  const cache = new AnthropicCache();
  assert.deepEqual(cache.charge(prompt("a* b"), 0), charged({ uncached: 1_200 }));
  assert.deepEqual(cache.charge(prompt("a* b"), 1), charged({ uncached: 1_200 }));
});

test("a marker looks for an entry at 20 blocks, its own among them", () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");
  const read = (more: number) => {
    const cache = new AnthropicCache();
    cache.charge(prompt(`${words(5)}*`), 0);
    return cache.charge(prompt(`${words(5 + more)}*`), 1).read;
  };
  assert.equal(read(19), 3_000);
  assert.equal(read(20), 0);
});

test("a fifth marker is refused", () => {
  assert.throws(() => new AnthropicCache().charge(prompt("a* b* c* d* e*"), 0), /Found 5/);
});

test("OpenAI reads the longest common prefix in steps of 128 tokens, without markers, for five minutes", () => {
  const cache = new OpenAiCache();
  assert.deepEqual(cache.charge(prompt("a b c"), 0), charged({ uncached: 1_800 }));
  assert.deepEqual(cache.charge(prompt("a b d"), 1), charged({ read: 1_152, uncached: 648 }));
  assert.deepEqual(cache.charge(prompt("a x"), 2), charged({ uncached: 1_200 }));
  assert.deepEqual(cache.charge(prompt("a b c"), 6 * MINUTE), charged({ uncached: 1_800 }));
});

test("the weights are of a read, the two writes, and what is not cached", () => {
  assert.equal(weighted({ read: 1_000, written5m: 100, written1h: 10, uncached: 1 }), 246);
});
