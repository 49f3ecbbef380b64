import { type Command, Option } from "commander";
import { action } from "../../action.ts";
import { ROLES } from "./roles.ts";

/** Adds the commands that install Berth as a systemd service, and remove it again. */
export function addInstall(program: Command): void {
  program
    .command("install")
    .summary("install this Berth as a systemd service")
    .description(
      "Create a system user, settings in /etc/berth and a unit for this Berth, and start it. Existing files are kept.",
    )
    .requiredOption("--systemd", "as a systemd service")
    .addOption(
      new Option(
        "--role <role>",
        "what this machine does, as written to /etc/berth/berth.yaml; a runner runs as root",
      ).choices(ROLES),
    )
    .option("--dry-run", "print what would be done, and change nothing")
    .addHelpText("after", "\nExample:\n  $ berth install --systemd --dry-run")
    .action(action(() => import("./install.ts"), "install"));
  program
    .command("uninstall")
    .summary("undo 'berth install'")
    .description(
      "Stop the service and remove its unit. Settings, data and the user are kept without --purge.",
    )
    .requiredOption("--systemd", "the systemd service")
    .option("--purge", "also remove settings, the user, and all data: sessions, files, secrets")
    .option("--dry-run", "print what would be done, and change nothing")
    .addHelpText("after", "\nExample:\n  $ berth uninstall --systemd --purge --dry-run")
    .action(action(() => import("./uninstall.ts"), "uninstall"));
}
