import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { acceptedInputs } from "./accepted-inputs.ts";
import { PROOFS } from "./proofs.ts";

const ROOT = join(import.meta.dirname, "../../..");

test("every input that is accepted names a test that sees its effect", () => {
  const proven = PROOFS.flatMap(([of, words]) => words.split(" ").map((word) => of + word));
  const accepted = acceptedInputs();
  assert.ok(accepted.length > 250);
  assert.deepEqual(
    accepted.filter((input) => !proven.includes(input)),
    [],
    "accepted, but no test is named",
  );
  assert.deepEqual(
    proven.filter((input) => !accepted.includes(input)),
    [],
    "no longer accepted",
  );
});

test("every test that is named exists", () => {
  const missing = PROOFS.filter(([, , file, title]) => !titlesOf(file).some((one) => one.includes(title)));
  assert.deepEqual(
    missing.map(([, , file, title]) => `${file}: ${title}`),
    [],
  );
});

/** Returns the titles of the tests in a file, and the templates that titles are made from. */
function titlesOf(file: string): string[] {
  const path = join(ROOT, file);
  if (!existsSync(path)) return [];
  const calls = readFileSync(path, "utf8").matchAll(
    /\b(?:test|it|describe|covers)\(\s*(?:\[[^\]]*\],\s*)?(["`])((?:\\.|(?!\1).)*)\1/gs,
  );
  return [...calls].map(([, , title = ""]) => title);
}
