import type { Command } from "commander";
import { withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addHealth(program: Command): void {
  const command = program
    .command("health")
    .summary("show the health of the installation")
    .description(
      "Show the health of the installation: what is degraded or missing, its services, sessions and disks. Only for admins. The exit code is 1 if something is missing or no sessions can run. 'berth doctor', on the machine itself, also examines the sandbox.",
    );
  withConnection(withOutput(command)).action(action(() => import("./health.ts"), "health"));
}
