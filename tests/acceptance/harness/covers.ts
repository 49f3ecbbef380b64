import { type TestContext, test } from "node:test";

/** A test that covers the requirements with these ids; coverage.test.ts reads the ids from the source. `skip` is the reason to skip it. */
export function covers(
  ids: readonly string[],
  title: string,
  run: (context: TestContext) => Promise<void>,
  skip: string | false = false,
): void {
  test(`${title} [${ids.join(", ")}]`, { timeout: 300_000, skip }, run);
}
