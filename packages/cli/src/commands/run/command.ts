import type { Command } from "commander";
import { dollars, withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addRun(program: Command): void {
  const command = program
    .command("run")
    .summary("start a session with a task and follow it")
    .description("Start a session with a task and show what the agent does, until its turn ends.")
    .argument("<task>", "what the agent should do; '-' reads it from standard input")
    .option(
      "--repo <url|org/name>",
      "repository to clone, such as https://github.com/org/repo; by org/name at the hosts of your connections",
    )
    .option("--connection <id>", "connection to the repository's host, which gets the session's token")
    .option("--branch <name>", "branch to check out; default: the repository's default branch")
    .option("--tag <name>", "tag to check out instead of a branch")
    .option("--ref <name>", "ref to check out instead of a branch, such as refs/pull/1/head")
    .option("--commit <sha>", "commit to check out instead of a branch")
    .option(
      "--without-failed-repositories",
      "let the agent continue if the repository cannot be cloned; default: the agent is stopped",
    )
    .option("--token-env <name>", "environment variable that contains the repository's token")
    .option("--repo-token-file <file>", "file that contains the repository's token")
    .option(
      "--model <provider/model>",
      "model of the agent; default: BERTH_MODEL, else the model of the last run, else the installation's",
    )
    .option("--agent <id>", "existing agent to use, instead of one created for the model")
    .option("--environment <id>", "existing environment to use, instead of the default one")
    .option("--title <text>", "title of the session; default: the task's first line")
    .option(
      "--budget <dollars>",
      "what the session may cost at most, such as 2.50; then it stops, and continues with more",
      dollars,
    )
    .option("-d, --detach", "print the session's id, and do not wait for the agent")
    .option("--keep", "do not archive the session when the agent is done")
    .option(
      "--follow",
      "follow the session's pull request until it is merged: the agent gets failed checks and reviews; implies --keep",
    );
  withConnection(withOutput(command))
    .addHelpText("after", HELP)
    .action(action(() => import("./run.ts"), "run"));
}

const HELP = `
Ctrl-C interrupts the agent. A second Ctrl-C ends the command and leaves the session running.

With --json or -o yaml, the command prints the session and every event as they come, a line or a document each. With --quiet,
it prints only errors, and the session's id if --detach is set.

Exit codes:
  0    the agent finished its turn
  1    the turn failed, a budget was reached, or the repository could not be cloned (unless
       --without-failed-repositories)
  2    wrong usage
  3    tool calls are waiting for you (see berth sessions allow, deny)
  4    the token is missing, invalid or has no permission
  130  interrupted

Examples:
  $ berth run "Fix the flaky test in payments and push a branch" \\
      --repo https://github.com/acme/shop --token-env GITHUB_TOKEN --model anthropic/claude-opus-5
  $ berth run "Fix the flaky test" --repo acme/shop
  $ berth run - --repo https://github.com/acme/shop < task.md
  $ berth run "Summarise the README" --repo https://github.com/acme/shop --json | jq -r .type`;
