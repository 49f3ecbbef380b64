import assert from "node:assert/strict";
import { test } from "node:test";
import { RUNTIMES } from "@berth/contract";
import fc from "fast-check";
import { CHOICE_FILES, choose, LOCK_FILES, type RepositoryFiles } from "./choose.ts";
import { matchMeaning, nearest } from "./match-wish.ts";

const FILES = [...CHOICE_FILES, ...LOCK_FILES];

const version = fc
  .array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 3 })
  .map((numbers) => numbers.join("."));
const versions = fc.array(version, { maxLength: 20 });

/** Pieces of which the files consist, in an order that no tool writes. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      "[tools]",
      "[tools.node]",
      "[project]",
      "[toolchain]",
      "[tool.poetry.dependencies]",
      "[[tools]]",
      "\n",
      "\n",
    ],
    ...[
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "'",
      '"""',
      "=",
      " ",
      "#",
      "//",
      "/*",
      "*/",
      "\0",
      "\uFEFF",
      "\r\n",
      "\\",
    ],
    ...[
      "node",
      "nodejs",
      "python",
      "golang",
      "java",
      "rust",
      "ruby",
      "channel",
      "requires-python",
      "__proto__",
    ],
    ...[
      "toolchain",
      "go",
      '"engines"',
      '"volta"',
      '"devEngines"',
      '"packageManager"',
      '"features"',
      '"runtime"',
      "lockfileVersion: ",
      "__metadata:\n  version: ",
      "# yarn lockfile v1",
    ],
    ...[
      '"pnpm@9.1.0+sha512.ab"',
      '"ghcr.io/devcontainers/features/node:1"',
      "lts/*",
      "lts/iron",
      "latest",
      "system",
    ],
    ...[">=", "<=", "~=", "==", "!=", "^", "||", "*", "x", "nightly", "temurin-21.0.2+13", "java=21.0.2-tem"],
  ),
  version,
  fc.string({ maxLength: 12, unit: "binary" }),
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(" ")),
  // Valid JSON with names that count, and any values below them.
  fc
    .dictionary(
      fc.constantFrom("engines", "volta", "devEngines", "packageManager", "features", "runtime"),
      fc.oneof(
        fc.jsonValue(),
        fc.dictionary(
          fc.constantFrom("node", "pnpm", "runtime", "packageManager", "ghcr.io/devcontainers/features/go:1"),
          fc.oneof(fc.jsonValue(), version, fc.record({ name: fc.constant("node"), version })),
        ),
      ),
    )
    .map((value) => JSON.stringify(value, null, 1)),
);

const repository: fc.Arbitrary<RepositoryFiles> = fc.record({
  id: fc.constantFrom("one", "other"),
  files: fc.array(fc.record({ file: fc.constantFrom(...FILES), content: text.map((text) => ({ text })) }), {
    maxLength: 5,
  }),
});

test("choose: whatever the files hold, nothing is thrown, and each wish has its line, a short text and a version on offer or none", () => {
  fc.assert(
    fc.property(fc.array(repository, { maxLength: 3 }), versions, (repositories, offer) => {
      const { wishes, outranked, ignored } = choose(repositories);
      assert.equal(new Set(wishes.map(({ runtime }) => runtime)).size, wishes.length);
      for (const { runtime, asked, line, id, file, meaning } of [...wishes, ...outranked]) {
        assert.ok(RUNTIMES.includes(runtime));
        assert.ok(asked.length <= 100 && !/\p{C}/u.test(asked), JSON.stringify(asked));
        const texts = repositories
          .filter((one) => one.id === id)
          .flatMap(({ files }) => files.filter((one) => one.file === file));
        const lines = texts.map(({ content }) => ("text" in content ? content.text.split("\n").length : 0));
        assert.ok(line >= 1 && line <= Math.max(...lines), `line ${line} of ${file}`);
        const found = matchMeaning(runtime, meaning, offer);
        assert.ok(found === null || offer.includes(found));
        assert.ok(nearest(runtime, meaning, offer).every((one) => offer.includes(one)));
      }
      for (const { reason } of ignored) assert.ok(reason.length < 300 && !/\p{C}/u.test(reason), reason);
    }),
  );
});

test("choose: files that are deep, huge, or one long line are read in little time, and none throws", () => {
  const deep = (open: string, close: string) => open.repeat(30_000) + close.repeat(30_000);
  const hostile = [
    deep("[", "]"),
    deep('{"a":', "}"),
    `{"engines": ${deep('{"node":', "}")}}`,
    `a = ${deep("[", "]")}`,
    `[tools]\nnode = ${deep("{a=", "}")}`,
    `${"[a.".repeat(9_000)}`,
    `[${"a.".repeat(30_000)}a]`,
    "nodejs ".repeat(9_000),
    `nodejs ${"9".repeat(60_000)}`,
    `{"engines":{"node":"${">=1 ".repeat(15_000)}"}}`,
    `{"engines":{"node":"${"1||".repeat(30)}"}}`,
    '"'.repeat(65_536),
    "\\".repeat(65_536),
    `"${"\\".repeat(65_000)}`,
    "/*".repeat(32_768),
    "#".repeat(65_536),
    " ".repeat(65_536),
    `go ${" ".repeat(65_000)}x`,
    "\n".repeat(65_536),
    "é".repeat(32_768),
    "\0".repeat(65_536),
  ];
  for (const text of hostile)
    for (const file of FILES) {
      const began = performance.now();
      choose([{ id: "one", files: [{ file, content: { text } }] }]);
      const milliseconds = performance.now() - began;
      assert.ok(milliseconds < 5_000, `${file}: ${milliseconds} ms for ${text.slice(0, 20)}`);
    }
});
