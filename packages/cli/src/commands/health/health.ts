import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { healthLines } from "./health-lines.ts";

/** Prints the health of the installation. Returns exit code 1 if it is not ready or a check failed. */
export async function health(options: ConnectionOptions & OutputOptions): Promise<number> {
  const client = await connect(options);
  const report = await client.health.get();
  await printResult(report, options, () => healthLines(report));
  const isWell = report.ready && report.checks.every(({ state }) => state !== "no");
  return isWell ? EXIT_CODES.done : EXIT_CODES.failed;
}
