import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A mistake that could be made, as a patch, with the test that must fail once it is applied. */
export interface Mutation {
  name: string;
  /** Absolute path of the patch. */
  patch: string;
  /** Path of the test file, from the root of the repository. */
  test: string;
  /** A part of the title of the test that fails. */
  fails: string;
}

/**
 * Reads the patches of `tests/mutations`. Each begins with a description of the mistake, then `Test:` with
 * the file and `Fails:` with a part of the title, each on its own line.
 *
 * @throws Error for a patch without these lines.
 */
export function readMutations(root: string): Mutation[] {
  const patches = globSync("tests/mutations/*.patch", { cwd: root }).sort();
  return patches.map((file) => {
    const patch = join(root, file);
    const head = readFileSync(patch, "utf8").split("\n--- ", 1)[0] ?? "";
    const [test, fails] = ["Test", "Fails"].map((key) => new RegExp(`^${key}: (.+)$`, "m").exec(head)?.[1]);
    if (test === undefined || fails === undefined) throw new Error(`${file} names no test that must fail.`);
    return { name: basename(file, ".patch"), patch, test, fails };
  });
}
