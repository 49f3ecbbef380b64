import type { UsageReport } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { givenBy } from "../../shared/given-by.ts";
import { printResult } from "../../shared/output.ts";
import { forecast, forecastLines } from "./forecast.ts";
import { usageLines } from "./usage-lines.ts";

interface UsageOptions extends ConnectionOptions, OutputOptions {
  from?: string;
  to?: string;
  groupBy: UsageReport["group_by"];
  forecast?: true;
}

const FLAGS = { from: "--from", to: "--to", group_by: "--group-by" };

export async function usage(options: UsageOptions): Promise<undefined> {
  const client = await connect(options);
  const { from, to, groupBy: group_by } = options;
  if (options.forecast) {
    const made = await forecast(client);
    await printResult(made, options, () => forecastLines(made));
    return;
  }
  const report = await givenBy(FLAGS, async () => await client.usage.get({ from, to, group_by }));
  await printResult(report, options, () => usageLines(report));
}
