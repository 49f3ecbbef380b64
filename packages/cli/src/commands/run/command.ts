import type { Command } from "commander";
import { withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addRun(program: Command): void {
  const command = program
    .command("run")
    .summary("start a session on a task and watch it")
    .description(
      "Starts a session on a task, shows what the agent does as it happens, and ends with the turn.",
    )
    .argument("<task>", "what the agent shall do; '-' reads it from standard input")
    .option("--repo <url>", "repository to clone, such as https://github.com/org/repo")
    .option("--branch <name>", "branch to check out; default: the repository's own default")
    .option("--commit <sha>", "commit to check out instead of a branch")
    .option("--token-env <name>", "environment variable that holds the repository's token")
    .option("--repo-token-file <file>", "file that holds the repository's token")
    .option(
      "--model <provider/model>",
      "model of the agent; default: BERTH_MODEL, else the one of the last run",
    )
    .option("--agent <id>", "an agent of yours, instead of one made for the model")
    .option("--environment <id>", "an environment of yours, instead of the default one")
    .option("--title <text>", "title of the session; default: the task's first line")
    .option("--keep", "leave the session open when it is done; otherwise it is archived")
    .option("--json", "print the session, then every event, as JSON lines");
  withConnection(command)
    .addHelpText("after", help)
    .action(action(() => import("./run.ts"), "run"));
}

const help = `
Ctrl-C asks the agent to stop; a second one leaves it running and ends the command.

Exit codes: 0 the agent finished its turn, 1 it failed or the repository could not be cloned,
2 wrong usage, 3 calls wait for you (berth sessions allow, deny), 4 no or not enough rights, 130 interrupted.

Examples:
  $ berth run "Fix the flaky test in payments and push a branch" \\
      --repo https://github.com/acme/shop --token-env GITHUB_TOKEN --model anthropic/claude-opus-5
  $ berth run - --repo https://github.com/acme/shop < task.md
  $ berth run "Summarise the README" --repo https://github.com/acme/shop --json | jq -r .type`;
