import type { Command } from "commander";
import { commaList, withConnection, withOutput, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the commands that connect the service with another one. */
export function addConnect(program: Command): void {
  const group = program
    .command("connect")
    .summary("let agents start from what happens elsewhere")
    .description("Let agents start from what happens elsewhere.");
  const github = group
    .command("github")
    .summary("make a GitHub App, its connection, and a deployment that it triggers; or undo it")
    .description(
      "Make a GitHub App in your browser, a connection by it, and a deployment that starts a session for an issue with the label `berth` or a comment that mentions `@berth`. If a step fails, what was made before is undone.",
    )
    .option("--host <url>", "address of GitHub, or of GitHub Enterprise", "https://github.com")
    .option("--organization <name>", "GitHub organization that gets the app; default: your own account")
    .option("--name <name>", "name of the app and of the connection; default: Berth and the service's host")
    .option("--deployment <id>", "existing deployment to start, instead of a new one")
    .option("--agent <id>", "agent of the new deployment; default: as for berth run")
    .option("--model <provider/model>", "model of the new deployment's agent; default: as for berth run")
    .option("--environment <id>", "environment of the new deployment; default: as for berth run")
    .option("--task <text>", "what the new deployment's agent is told beside what was asked")
    .option(
      "--events <list>",
      "comma-separated further events that start a session, such as push,workflow_run",
      commaList,
    )
    .option("--for-all", "make a connection that all members of the organization use; only for admins")
    .option(
      "--port <number>",
      "port on this machine to which GitHub sends the browser back; default: a free one",
    )
    .option("--no-open", "only print the address to open")
    .option("--undo <deployment>", "undo it: delete the triggers and the connection, archive the deployment");
  withConnection(withOutput(withYes(github)))
    .addHelpText("after", HELP)
    .action(action(() => import("./connect-github.ts"), "connectGitHub"));
}

const HELP = `
The browser must run on this machine, or reach --port of it, as through ssh -L.

GitHub must reach the service: its address is BERTH_PUBLIC_URL.

Examples:
  $ berth connect github --organization acme
  $ berth connect github --host https://github.example.com --deployment dep_01kn5b0a7efrpt8w2v4c9x3y6z
  $ berth connect github --undo dep_01kn5b0a7efrpt8w2v4c9x3y6z`;
