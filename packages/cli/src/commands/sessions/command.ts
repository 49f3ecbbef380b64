import { type Command, Option } from "commander";
import { commandGroup } from "../../operations/operation-commands.ts";
import { positiveInteger, withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addSessions(program: Command): void {
  const sessions = program
    .command("sessions")
    .summary("manage sessions")
    .description("List, follow and control sessions.")
    .addHelpText("after", HELP);
  const add = (usage: string, summary: string, parent = sessions) => {
    return withConnection(withOutput(parent.command(usage).description(summary)));
  };

  add("list", "List sessions, newest first, with the state and the last activity of each.")
    .option("--limit <number>", "maximum number of sessions", positiveInteger, 20)
    .addOption(
      new Option("--status <status...>", "only sessions with this status").choices([
        "idle",
        "running",
        "rescheduling",
        "terminated",
      ]),
    )
    .addOption(
      new Option(
        "--outcome <outcome...>",
        "only idle sessions whose last turn had this outcome; none: no turn yet",
      ).choices([
        "none",
        "end_turn",
        "requires_action",
        "retries_exhausted",
        "refusal",
        "max_turns",
        "cancelled",
      ]),
    )
    .option("--clone-failed", "only sessions that lack a repository because its clone failed")
    .option("--set-aside", "only sessions that are set aside: they run no turn until they are released")
    .addOption(
      new Option("--sort <time>", "order by this, the latest first; updated_at: the last activity")
        .choices(["created_at", "updated_at"])
        .default("created_at"),
    )
    .option("--title <text>", "only sessions whose title contains this")
    .option("--owner <id>", "only sessions of this user, or of the organization")
    .option("--waiting", "only sessions with calls that wait for an answer")
    .option("--archived", "include archived sessions")
    .action(action(() => import("./list.ts"), "listSessions"));
  add("get <id>", "Show a session.").action(action(() => import("./get.ts"), "getSession"));
  add("logs <id>", "Show the log of a session; with --json, its events as lines of JSON.")
    .option("-f, --follow", "follow the log until the session is terminated, or until Ctrl-C")
    .action(action(() => import("./logs.ts"), "sessionLogs"));
  add("attach <id>", "Follow a session live, and talk to it. Ctrl-C detaches, and the session continues.")
    .option("--from-start", "first show the whole log")
    .addHelpText("after", ATTACH_HELP)
    .action(action(() => import("./attach.ts"), "attachSession"));
  add("send <id> <message>", "Send a message to a session; '-' reads it from standard input.")
    .addOption(follow)
    .action(action(() => import("./actions.ts"), "sendMessage"));
  add("allow <id> [call-id...]", "Allow tool calls that are waiting for a confirmation; default: all.")
    .addOption(follow)
    .action(action(() => import("./confirm-calls.ts"), "allowCalls"));
  add("deny <id> [call-id...]", "Deny tool calls that are waiting for a confirmation; default: all.")
    .option("--message <text>", "message for the agent")
    .addOption(follow)
    .action(action(() => import("./confirm-calls.ts"), "denyCalls"));
  add("ls <id> [sandbox-path]", "List a directory of a session's sandbox; a relative path starts at /data.")
    .option("--limit <number>", "maximum number of entries", positiveInteger, 1_000)
    .action(action(() => import("./list-directory.ts"), "listDirectory"));
  withConnection(
    sessions.command("cat <id> <sandbox-path>").description("Print a file of a session's sandbox."),
  ).action(action(() => import("./print-file.ts"), "printFile"));
  add(
    "cp <id> <sandbox-path> [path]",
    "Copy a file or a directory out of a session's sandbox; default: to the current directory.",
  ).action(action(() => import("./copy-files.ts"), "copyFiles"));
  add("diff <id> [repository-path]", "Show what an agent changed in its repositories since they were cloned.")
    .option("--stat", "only the commits and the changed files, without a diff")
    .action(action(() => import("./diff.ts"), "diffSession"));
  add(
    "interrupt <id>",
    "Interrupt the running turn, and print its event. By hand, use this command rather than cancel, the API's operation, which does nothing when no turn runs.",
  ).action(action(() => import("./actions.ts"), "interruptSession"));
  add("archive <id>", "Archive a session, which makes it read-only.").action(
    action(() => import("./actions.ts"), "archiveSession"),
  );
  const resources = commandGroup(sessions, ["sessions", "resources"]);
  add(
    "retry <session-id> <resource-id>",
    "Try the failed clone of a repository again, at once.",
    resources,
  ).action(action(() => import("./actions.ts"), "retryClone"));
}

const ATTACH_HELP = `
Each line that you type is sent as a message, unless it is one of these commands:
  /interrupt       interrupt the running turn
  /allow           allow the tool calls that are waiting for a confirmation
  /deny [reason]   deny them
  /detach          the same as Ctrl-C

Example:
  $ berth sessions attach $(berth run --detach "Fix the flaky test" --repo https://github.com/acme/shop)`;

const follow = new Option("-f, --follow", "follow the turn to its end, with the exit codes of berth run");

const HELP = `
Examples:
  $ berth sessions list --sort updated_at
  $ berth sessions list --outcome retries_exhausted refusal
  $ berth sessions logs -f sess_01k…
  $ berth sessions attach sess_01k…
  $ berth sessions send -f sess_01k… "Now update the changelog, too"
  $ berth sessions diff --stat sess_01k…
  $ berth sessions cp sess_01k… /mnt/session/outputs results
  $ berth sessions list --limit 500 --json | jq -r '.data[].id'`;
