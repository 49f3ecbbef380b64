import type { Command } from "commander";
import { withClient, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";
import { OF_ORGANIZATION } from "./of-organization.ts";

const load = () => import("./retention.ts");

/** Adds the commands that show and change how long an organization keeps old objects. */
export function addRetention(admin: Command): void {
  const retention = admin
    .command("retention")
    .summary("set how long an organization keeps sessions, events and files")
    .description("Show and change how long an organization keeps sessions, events and files.");
  const add = (usage: string, summary: string) =>
    withClient(retention.command(usage).description(summary)).option("--org <name>", OF_ORGANIZATION);
  add("get", "Show the days, and where they are from.").action(action(load, "getRetention"));
  withYes(add("set <days...>", "Set days, as name=days, or name=none to keep forever."))
    .addHelpText("after", HELP)
    .action(action(load, "setRetention"));
  add("unset <names...>", "Remove its own days, so that the days of the settings apply again.").action(
    action(load, "unsetRetention"),
  );
}

const HELP = `
A running service deletes what is too old within an hour, and records it in the audit log. Deleted objects can only
be restored from a backup.

Names:
  sessions  sessions in which nothing happened for so long, with their events; running ones stay
  events    the events of sessions that were archived or terminated so long ago; the sessions stay
  files     files and outputs that are so old, and that no session has which is neither archived nor terminated

Example:
  $ berth admin retention set --org acme sessions=90 events=30 files=30
  $ berth admin retention get --org acme`;
