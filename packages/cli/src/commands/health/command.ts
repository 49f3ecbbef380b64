import type { Command } from "commander";
import { withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addHealth(program: Command): void {
  const command = program
    .command("health")
    .summary("show how the installation is")
    .description(
      "Show how the installation is: what is weak or missing, its services, sessions and disks. For admins. The exit code is 1 if something is missing or no sessions run. 'berth doctor', on the machine itself, examines the sandbox too.",
    );
  withConnection(withOutput(command)).action(action(() => import("./health.ts"), "health"));
}
