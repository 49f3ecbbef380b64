import { type TestContext, test } from "node:test";

/** A test that proves requirements (ids of requirements.ts); coverage.test.ts reads the ids from the source. */
export function proves(
  ids: readonly string[],
  title: string,
  run: (context: TestContext) => Promise<void>,
): void {
  test(`${title} [${ids.join(", ")}]`, { timeout: 120_000 }, run);
}
