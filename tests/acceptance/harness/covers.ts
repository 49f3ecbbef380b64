import { type TestContext, test } from "node:test";
import { SCENARIOS } from "../../many-machines/not-in-a-cluster.ts";
import { IN_CLUSTER } from "./cluster-form.ts";

/**
 * Defines a test that covers the requirements with these ids, which coverage.test.ts reads from the source.
 * `skip` is the reason to skip it.
 */
export function covers(
  ids: readonly string[],
  title: string,
  run: (context: TestContext) => Promise<void>,
  skip: string | false = false,
): void {
  const notHere = IN_CLUSTER && SCENARIOS[title];
  test(`${title} [${ids.join(", ")}]`, { timeout: 600_000, skip: notHere || skip }, run);
}
