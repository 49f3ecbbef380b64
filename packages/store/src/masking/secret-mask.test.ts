import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SecretMask } from "./secret-mask.ts";

const TOKEN = "github_pat_11ABCDEFG0Zk3canaryQ9wLxV7_mR2tYpE8sNfB5hJcU1dKoWgXaQzSvMnTrLyPqDjHkGfCbXe4A";

function maskOf(...secrets: string[]): SecretMask {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return mask;
}

/** Ways to write a text that a program can undo without knowing the secret. */
const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "upper case": (text) => text.toUpperCase(),
  JSON: (text) => JSON.stringify(text),
  "URL component": (text) => encodeURIComponent(text),
  "percent-encoded as a whole": (text) => Buffer.from(text).toString("hex").replaceAll(/../g, "%$&"),
  "escaped for a shell": (text) => text.replaceAll(/[^A-Za-z0-9]/g, "\\$&"),
  "escaped as hex": (text) => Buffer.from(text).toString("hex").replaceAll(/../g, "\\x$&"),
  "escaped as octal": (text) =>
    [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(""),
  "UTF-16 LE": (text) => Buffer.from(text, "utf16le").toString("utf8"),
  "UTF-16 BE": (text) => Buffer.from(text, "utf16le").swap16().toString("utf8"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  "upper-case hex": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "hex with colons": (text) =>
    Buffer.from(text)
      .toString("hex")
      .replaceAll(/..(?!$)/g, "$&:"),
};

/** Ways to fold a text, after every `n` characters. */
const FOLDS: Readonly<Record<string, (text: string, n: number) => string>> = {
  none: (text) => text,
  "line ends": (text, n) => every(text, n, "\n"),
  "CR LF": (text, n) => every(text, n, "\r\n"),
  blanks: (text, n) => every(text, n, " "),
  "blanks and lines": (text, n) => every(text, n, " \n   "),
  "soft line breaks": (text, n) => every(text, n, "=\n"),
  "escaped line ends": (text, n) => every(text, n, "\\n"),
  colours: (text, n) => every(text, n, "\u001b[m\u001b[K\u001b[01;31m\u001b[K"),
  "terminal titles": (text, n) => every(text, n, "\u001b]0;title\u0007"),
  "zero-width characters": (text, n) => every(text, n, "\u200b"),
};

function every(text: string, n: number, inserted: string): string {
  return text.replaceAll(new RegExp(`[^]{${n}}(?=[^])`, "g"), (piece) => piece + inserted);
}

test("mask: a token in any writing and any fold → none of it is left that could be put together again", () => {
  const { mask } = maskOf(TOKEN);
  for (const [writing, write] of Object.entries(WRITINGS)) {
    for (const [folding, fold] of Object.entries(FOLDS)) {
      for (const n of [1, 2, 7, 16, 60, 76]) {
        // A fold within an escaped character would be part of it, and mails have an encoding of their own.
        if (/escaped/.test(writing) && (n % 4 !== 0 || folding === "soft line breaks")) continue;
        const left = mask(`before|${fold(write(TOKEN), n)}|after`);
        const [, between = ""] = left.split("|");
        const rest = unfolded(between.replaceAll("[redacted]", "")).replaceAll(/[^a-z0-9]/g, "");
        assert.match(between, /\[redacted\]/, `${writing}, ${folding} after ${n}`);
        // In base64, the first and last characters also contain bits of the neighbours.
        assert.ok(rest.length <= 4, `${writing}, ${folding} after ${n}: ${left}`);
      }
    }
  }
});

/** Prefixes that tools put before each line, by the line's number. */
const PREFIXES: Readonly<Record<string, (line: number) => string>> = {
  "added lines of a diff": () => "\n+",
  "removed lines of a diff": () => "\n-",
  "unchanged lines of a diff": () => "\n ",
  "a diff in colour": () => "\u001b[m\n\u001b[32m+\u001b[m\u001b[32m",
  "a diff within JSON": () => "\\n+",
  "a quotation of a quotation": () => "\r\n> > ",
  "numbered lines": (line) => `\n${String(line).padStart(6)}\t`,
  "a diff with numbered lines": (line) => `\n${String(line).padStart(6)}\t-`,
  "a search": (line) => `\n/data/keys/a-b.pem:${line}:`,
  "a search in a diff": (line) => `\nkeys/a.patch:${line}:+`,
  "lines around what a search found": (line) => `\nkeys/a.pem-${line}-`,
  "a search without numbers": () => "\n/data/keys/a.pem:",
};

test("mask: a secret in lines that a tool marked or numbered → no part of it is left", () => {
  const pem = Array.from({ length: 12 }, (_, index) =>
    Buffer.alloc(48, `k3y${index * 7919}`).toString("base64"),
  );
  for (const secret of [TOKEN, pem.join("\n"), Buffer.from(TOKEN.repeat(4)).toString("base64")]) {
    const bare = secret.replaceAll("\n", "");
    for (const [tool, prefix] of Object.entries(PREFIXES)) {
      for (const n of [5, 16, 60, 64]) {
        const lines = bare.match(new RegExp(`.{1,${n}}`, "g")) ?? [];
        const written = lines.map((line, index) => `${index === 0 ? "" : prefix(index + 9)}${line}`).join("");
        const left = maskOf(secret).mask(`key: ${written}\nnext`);
        for (const line of lines)
          assert.ok(line.length < 4 || !left.includes(line), `${tool}, ${n}: ${left}`);
        assert.match(left, /^key: \[redacted\]\s+next$/, `${tool}, ${n}: ${left}`);
      }
    }
  }
});

test("mask: lines without a secret keep their marks, numbers and paths", () => {
  const { mask } = maskOf(TOKEN);
  const text = `github_pat_11ABC\n+DEFG0\n    12\tgithub_\n/data/a.ts:12:pat_\n> 11ABCDEFG\n`;
  assert.equal(mask(text), text);
});

test("mask: two long secrets with the same beginning → both are gone to their ends", () => {
  const begin = Array.from({ length: 90 }, (_, index) => `claim${index}`).join(".");
  const [one, other] = [`${begin}.signature-of-one-Q9wLxV7`, `${begin}.signature-of-other-mR2tYpE8`];
  const { mask } = maskOf(one, other);
  assert.equal(mask(`${one} ${other}`), "[redacted] [redacted]");
});

test("mask: words between blanks of several secrets with the same letters → each as it is written", () => {
  const { mask } = maskOf("pass word a", "passworda b", "pa ssworda");
  assert.equal(mask("pass word a, pa ssworda, p assworda"), "[redacted], [redacted], [redacted]");
  assert.equal(mask("p a s s word a"), "p a s s word a");
});

const hiddenSecret = fc
  .oneof(
    fc.string({ minLength: 12, maxLength: 120 }),
    fc.string({ unit: fc.constantFrom(..."abcdefgzABCDEFGZ0123456789_-+/="), minLength: 16, maxLength: 400 }),
    fc.string({ unit: "grapheme", minLength: 12, maxLength: 60 }),
  )
  .filter((text) => unfolded(text).length >= 12);

/** Removes what folds insert. */
function unfolded(text: string): string {
  return text
    .replaceAll(/\u001b\[[0-9;]*[mK]|\u001b\]0;title\u0007|=\n|\\n/g, "")
    .replaceAll(/[\p{Z}\p{C}\ufffd]/gu, "")
    .toLowerCase();
}

test("mask: any secret in any fold → it is gone", () => {
  fc.assert(
    fc.property(
      hiddenSecret,
      fc.string(),
      fc.constantFrom(...Object.keys(FOLDS)),
      fc.integer({ min: 1, max: 80 }),
      (secret, around, folding, n) => {
        // A secret that looks like an escaped character has another meaning between escaped line ends.
        fc.pre(folding !== "escaped line ends" || !/[\\%]/.test(secret));
        fc.pre(folding !== "soft line breaks" || !secret.includes("="));
        // A short secret of letters may be ordinary words, so it is not searched across blanks.
        fc.pre(
          !folding.startsWith("blanks") || !/^[\p{L}\s]*$/u.test(secret) || unfolded(secret).length >= 16,
        );
        fc.pre(!unfolded(around).includes(unfolded(secret)));
        const left = maskOf(secret).mask(`${around}\n${FOLDS[folding]?.(secret, n)}\n${around}`);
        assert.ok(!unfolded(left).includes(unfolded(secret)), left);
        assert.match(left, /\[redacted\]/);
      },
    ),
    { numRuns: 300 },
  );
});

test("mask: a text without the secret → the same text", () => {
  const { mask } = maskOf(TOKEN, "correcthorse", "s3cr3t-of-somebody", "ünïcödé-pässwörd");
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: "binary" }), fc.base64String(), fc.json()),
      (text) => {
        assert.equal(mask(text), text);
      },
    ),
    { numRuns: 200 },
  );
  const prose =
    "A storm as terrible as that; correct horses\tmay\nrun. 100 %\\ of them \u001b[1mdo\u001b[0m.";
  assert.equal(maskOf("master", "rectho").mask(prose), prose, "the letters of several words are no secret");
  assert.equal(
    maskOf("master").mask("git switch Mas\nter, m a s t e r"),
    "git switch [redacted], m a s t e r",
  );
});

test("stream: pieces of any size → together what the whole becomes, and no secret across their borders", () => {
  const long = Array.from({ length: 200 }, (_, i) => `line${i * 7919}`).join("\n");
  const mask = maskOf(TOKEN, "s3cr3t-of-somebody", long);
  const text = fc.array(
    fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        TOKEN,
        every(TOKEN, 60, "\n"),
        "s3cr3t-of-",
        "somebody",
        "%73",
        "\\x",
        "73",
        "\u001b[1",
        "m",
        "=\n",
        "\\",
      ),
      fc.constant(long),
      fc.constant(Buffer.from(TOKEN).toString("base64")),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 }),
      (parts, sizes) => {
        const whole = parts.join("");
        const stream = mask.stream();
        let streamed = "";
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          streamed += stream.write(whole.slice(at, at + size));
          at += size;
        }
        assert.equal(streamed + stream.end(), mask.mask(whole));
      },
    ),
    { numRuns: 200 },
  );
});

test("stream: a text in which no secret has begun is shown at once", () => {
  const stream = maskOf(TOKEN).stream();
  assert.equal(stream.write("Nothing to see."), "Nothing to see.");
  assert.equal(stream.write(` The token is ${TOKEN.slice(0, 10)}`), " The token is ");
  assert.match(stream.write(" to nobody."), /^github_pat to nobod/);
});

test("add: more than a thousand secrets → the oldest is dropped; too many characters → the longest", () => {
  const mask = maskOf(...Array.from({ length: 1_001 }, (_, i) => `secret-${i}-end`));
  assert.equal(mask.mask("secret-0-end secret-1000-end"), "secret-0-end [redacted]");
  const small = new SecretMask(9_000);
  for (const secret of ["token-of-somebody", "1".repeat(600), "2".repeat(500)]) small.add(secret);
  assert.equal(small.mask("token-of-somebody"), "[redacted]");
  assert.equal(small.mask("1".repeat(600)), "1".repeat(600));
  assert.equal(small.mask("2".repeat(500)), "[redacted]");
});
