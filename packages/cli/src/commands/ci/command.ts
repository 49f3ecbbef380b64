import type { Command } from "commander";
import { action } from "../action.ts";

export function addCi(program: Command): void {
  program
    .command("ci")
    .summary("run a task as a step of a CI job")
    .description(
      "Run a task as a step of a job of GitHub, Forgejo, Gitea or GitLab: like berth run, with variables for options.",
    )
    .addHelpText("after", HELP)
    .action(action(() => import("./ci.ts"), "ci"));
}

const HELP = `
Variables (or INPUT_NAME in place of BERTH_NAME, as the runners of actions set them):
  BERTH_URL, BERTH_TOKEN   the service, and a token for it; BERTH_TOKEN_FILE and BERTH_CA_FILE as elsewhere
  BERTH_TASK               what the agent should do
  BERTH_AGENT              id of an agent; default: one for BERTH_MODEL, as berth run chooses it
  BERTH_ENVIRONMENT        id of an environment
  BERTH_MODEL, BERTH_TITLE model of the agent, and title of the session
  BERTH_REPOSITORY         URL, org/name with a connection, or none; default: the job's own, at its branch or tag
  BERTH_BRANCH             branch to check out
  BERTH_CONNECTION         connection to the repository's host
  BERTH_REPOSITORY_TOKEN   token of the repository, without a connection
  BERTH_WAIT               false: start the session, and do not wait
  BERTH_KEEP               true: do not archive the session when the agent is done
  BERTH_BUDGET             what the session may cost at most in US dollars, such as 2.50

Outputs (session_id, session_url, outcome, message, pull_request_url) are appended to the file GITHUB_OUTPUT, or as
BERTH_NAME=value to BERTH_OUTPUT_FILE; a summary in Markdown to GITHUB_STEP_SUMMARY or BERTH_SUMMARY_FILE.
A job that is cancelled interrupts the agent. Exit codes are those of berth run.`;
