import { type Command, Option } from "commander";
import { withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addUsage(program: Command): void {
  const command = program
    .command("usage")
    .summary("show what sessions used, by day, agent, user, model or environment")
    .description("Show what sessions used: turns, time, tokens, and what these cost by the list price.")
    .option("--from <day>", "first day in UTC, such as 2026-11-01; default: 30 days in all")
    .option("--to <day>", "last day in UTC; default: today")
    .addOption(
      new Option("--group-by <what>", "what the lines of the table are")
        .choices(["day", "agent", "user", "model", "environment"])
        .default("day"),
    )
    .addOption(
      new Option("--forecast", "what this month will have cost at its end (UTC), by model").conflicts([
        "from",
        "to",
        "groupBy",
      ]),
    )
    .addHelpText("after", HELP);
  withConnection(withOutput(command)).action(action(() => import("./usage.ts"), "usage"));
}

const HELP = `
Examples:
  $ berth usage --group-by user --from 2026-11-01 --to 2026-11-30
  $ berth usage --forecast
  $ berth usage --json | jq .total.list_cost_usd`;
