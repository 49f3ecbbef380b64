import assert from "node:assert/strict";
import { test } from "node:test";
import { errors } from "@berth/store/errors";
import { readSkillManifest } from "./read-skill-manifest.ts";
import { skillWarnings } from "./skill-warnings.ts";

const fault = (what: string) => errors.invalid(`Field 'file' ${what}.`, "file");
const read = (...lines: string[]) =>
  readSkillManifest(Buffer.from(["---", ...lines, "---", "# How"].join("\n")), fault);

test("a text without quotes is taken as it is, whatever in it would be syntax", () => {
  const texts = {
    "Use this skill when: the user asks for a form": "Use this skill when: the user asks for a form",
    "Writes notes. Triggers: \"notes\", 'minutes'": "Writes notes. Triggers: \"notes\", 'minutes'",
    "Draws charts: bar, [line] and {pie}:": "Draws charts: bar, [line] and {pie}:",
    "@mentions and `code`: both": "@mentions and `code`: both",
    "%percent: 100% \\n stays": "%percent: 100% \\n stays",
  };
  for (const [written, description] of Object.entries(texts))
    assert.deepEqual(read("name: forms", `description: ${written}`), { name: "forms", description }, written);
  assert.equal(
    read("name: a", "description: Does this", "  and that: all of it", "license: MIT: see LICENSE")
      .description,
    "Does this and that: all of it",
  );
});

test("what is valid YAML is read as YAML, with what is no text beside", () => {
  const block = read("name: a", "description: >-", "  One: two", "  three", "metadata:", "  author: x");
  assert.equal(block.description, "One: two three");
  const quoted = read('name: "a"', "description: 'It''s: so'", "allowed-tools: [Bash, 'Read']");
  assert.equal(quoted.description, "It's: so");
  assert.equal(read("name: a", "description: A: b", "metadata:", "  author: x").description, "A: b");
});

test("other faults name the line in the file, and what is wrong in it", () => {
  const faults: [string[], RegExp][] = [
    [["name: a", "description: 'open: text"], /whose line \d is not valid YAML: \S.*\S\.$/],
    [["name: a", "description: b", "tags: [x", "more: y"], /whose line [45] is not valid YAML: \S/],
    [["name: a", "", "description: b: c", "name: a"], /whose line 5 gives the field 'name' twice\.$/],
    [["description: b", "", "name: A"], /with an error in line 4: Field 'name' must be 1 to 64 lower-case/],
    [["name: a", "description: [b]"], /with an error in line 3: Field 'description' must be a string\.$/],
    [["name: a"], /with an error in its frontmatter: Field 'description' is required\.$/],
    [["name: a", `description: ${"y: ".repeat(1_400)}`], /with an error in line 3: .*4,?096/],
  ];
  for (const [lines, message] of faults)
    assert.throws(
      () => read(...lines),
      { type: "invalid_request_error", param: "file", message },
      lines.join(),
    );
});

test("a long description is taken, with a warning beyond what the format allows", () => {
  for (const [length, warned] of [
    [1_024, false],
    [1_025, true],
    [4_096, true],
  ] as const) {
    const manifest = read("name: a", `description: ${"d".repeat(length)}`);
    assert.equal(manifest.description.length, length);
    const warnings = skillWarnings(manifest);
    assert.equal(warnings.length, warned ? 1 : 0);
    if (warned)
      assert.match(warnings[0] ?? "", new RegExp(`has ${length} characters. The format allows 1024`));
  }
});
