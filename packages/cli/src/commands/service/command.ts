import type { Command } from "commander";
import { withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the commands that show information about the service and the caller. */
export function addService(program: Command): void {
  const add = (name: string, summary: string, description: string) =>
    withConnection(withOutput(program.command(name).summary(summary).description(description)));
  add(
    "whoami",
    "show whose token is used, and its scopes",
    "Show whose token is used, in which organization, and its scopes.",
  ).action(action(() => import("./whoami.ts"), "whoami"));
  add(
    "status",
    "show whether the service is ready",
    "Show whether the service is ready, its version, and the owner of the token. The exit code is 1 if it is not ready.",
  ).action(action(() => import("./status.ts"), "status"));
}
