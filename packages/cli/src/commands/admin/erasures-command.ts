import { type Command, Option } from "commander";
import { positiveInteger, withClient, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";

const load = () => import("./erasures.ts");

/** Adds the commands that erase the data of a user or an organization. */
export function addErasures(admin: Command): void {
  withYes(
    withClient(
      admin
        .command("erase")
        .summary("erase the data of a user or an organization")
        .description("Erase all data of a user or an organization, and print a receipt."),
    ),
  )
    .option("--user <email>", "the user")
    .option("--org <name>", "the organization, with all its users and service accounts")
    .addOption(
      new Option("--wait <seconds>", "maximum time to wait until everything is erased")
        .argParser(positiveInteger)
        .default(60),
    )
    .addHelpText("after", HELP)
    .action(action(load, "erase"));
  const erasures = admin.command("erasures").description("List erasures, and print their receipts.");
  withClient(erasures.command("list").description("List erasures, newest first.")).action(
    action(load, "listErasures"),
  );
  withClient(erasures.command("get <id>").description("Print the receipt of an erasure.")).action(
    action(load, "getErasure"),
  );
}

const HELP = `
From now on, tokens are rejected and running turns are stopped. A running service then deletes sessions with their disks and
events, files, memory stores, vaults, skills, agents, environments and tokens, and finally the user or the organization. The
erasure continues after this command has ended, and after a restart of the service. It waits for hosts that have disks of the
sessions; if a host no longer exists, 'berth admin hosts forget' ends the wait.

The receipt has ids and numbers, and lists what is not erased, such as backups. Keep it: the audit log only has ids, too.

Examples:
  $ berth admin erase --user ada@example.com
  $ berth admin erase --org acme --yes --json > receipt.json`;
