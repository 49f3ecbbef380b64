import type { Command } from "commander";
import { withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the command that opens the console. */
export function addConsole(program: Command): void {
  withConnection(withOutput(program.command("console")))
    .summary("open the console in a browser, signed in")
    .description(
      "Print a link that signs in to the console of the service as the user of the token, and open it if there is a browser. The link works once, within 60 seconds.",
    )
    .option("--no-open", "only print the link")
    .action(action(() => import("./console.ts"), "openConsole"));
}
