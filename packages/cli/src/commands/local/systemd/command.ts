import { type Command, Option } from "commander";
import { action } from "../../action.ts";
import { ROLES } from "./roles.ts";

/** Adds the commands that install Berth as a systemd service, and remove it again. */
export function addInstall(program: Command): void {
  program
    .command("install")
    .summary("install this Berth as a service of systemd")
    .description(
      "Make a system user, settings in /etc/berth, and a unit for this Berth, and start it. What is there is kept.",
    )
    .requiredOption("--systemd", "as a service of systemd")
    .addOption(
      new Option(
        "--role <role>",
        "what this machine does, which /etc/berth/berth.yaml then says; a runner runs as root",
      ).choices(ROLES),
    )
    .option("--dry-run", "change nothing, and print what would be done")
    .addHelpText("after", "\nExample:\n  $ berth install --systemd --dry-run")
    .action(action(() => import("./install.ts"), "install"));
  program
    .command("uninstall")
    .summary("take back what 'berth install' did")
    .description(
      "Stop the service and remove its unit. Settings, data and the user stay, unless --purge is given.",
    )
    .requiredOption("--systemd", "the service of systemd")
    .option("--purge", "also remove settings, the user, and all data: sessions, files, secrets")
    .option("--dry-run", "change nothing, and print what would be done")
    .addHelpText("after", "\nExample:\n  $ berth uninstall --systemd --purge --dry-run")
    .action(action(() => import("./uninstall.ts"), "uninstall"));
}
