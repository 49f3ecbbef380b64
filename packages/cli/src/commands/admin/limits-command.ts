import type { Command } from "commander";
import { withClient } from "../../shared/options.ts";
import { action } from "../action.ts";
import { OF_ORGANIZATION } from "./of-organization.ts";

const load = () => import("./limits.ts");

/** Adds the commands that show and change the limits of an organization or a user. */
export function addLimits(admin: Command): void {
  const limits = admin
    .command("limits")
    .summary("limit what an organization or a user may use")
    .description("Show and change the limits of an organization or of a user.");
  const add = (usage: string, summary: string) =>
    withClient(limits.command(usage).description(summary))
      .option("--org <name>", `${OF_ORGANIZATION}, for all of its users together`)
      .option("--user <email>", "the user");
  add("get", "Show the limits, where they are from, and how much is used.").action(action(load, "getLimits"));
  add("set <limits...>", "Set limits, as name=number, or name=none for no limit.")
    .addHelpText("after", HELP)
    .action(action(load, "setLimits"));
  add("unset <names...>", "Remove its own limits, so that the limits of the settings apply again.").action(
    action(load, "unsetLimits"),
  );
}

const HELP = `
A running service applies the change within about five seconds.

Names:
  requests_per_second  requests to one process of the service
  request_burst        how many of them at once; default: those of a second
  open_sessions        sessions that are neither archived nor terminated
  file_bytes           bytes of all files, outputs of agents included
  running_turns        turns at once, over all hosts; further messages wait
  sandbox_seconds_per_day  for how long sandboxes are open, together, in a day (UTC)
  disk_bytes           what the disks of sessions take on their hosts, where these limit disks
  spend_cents          what all sessions may cost, in US cents of the models' list prices
  spend_cents_per_day  the same in a day (UTC)

Example:
  $ berth admin limits set --org acme requests_per_second=100 open_sessions=500
  $ berth admin limits set --user ada@example.com open_sessions=none
  $ berth admin limits get --user ada@example.com`;
