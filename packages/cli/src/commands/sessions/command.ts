import { type Command, Option } from "commander";
import { commandGroup } from "../../operations/operation-commands.ts";
import { positiveInteger, seconds, withConnection, withOutput } from "../../shared/options.ts";
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
        "only idle sessions whose last turn had this outcome; none: no turn yet; failed: retries_exhausted or refusal",
      ).choices([
        "waiting",
        "failed",
        "done",
        "none",
        "end_turn",
        "requires_action",
        "retries_exhausted",
        "refusal",
        "max_turns",
        "budget_reached",
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
    .option(
      "--search <words>",
      "only sessions with all of these words in title, repositories or messages, by last activity",
    )
    .option("--shared-with-me", "only sessions that others share")
    .option("--owner <id>", "only sessions of this user, or of the organization")
    .option("--deployment <id>", "only sessions that this deployment created")
    .option("--mine", "only sessions on your desk: your own, and those to which you wrote last")
    .option("--unseen", "only sessions on your desk with an outcome that you have not seen")
    .option("--waiting", "only sessions with calls that wait for an answer")
    .option("--archived", "include archived sessions")
    .action(action(() => import("./list.ts"), "listSessions"));
  add("get <id>", "Show a session.").action(action(() => import("./get.ts"), "getSession"));
  add("logs <id>", "Show the log of a session; with --json, its events as lines of JSON.")
    .option("-f, --follow", "follow the log until the session is terminated, or until Ctrl-C")
    .action(action(() => import("./logs.ts"), "sessionLogs"));
  add(
    "attach <id>",
    "Follow a session live, and send messages to it. Ctrl-C detaches, and the session continues.",
  )
    .option("--from-start", "first show the whole log")
    .addHelpText("after", ATTACH_HELP)
    .action(action(() => import("./attach.ts"), "attachSession"));
  add("send <id> <message>", "Send a message to a session; '-' reads it from standard input.")
    .addOption(follow)
    .action(action(() => import("./actions.ts"), "sendMessage"));
  add("allow <id> [call-id...]", "Allow tool calls that are waiting for a confirmation; default: all.")
    .option(
      "--always [command-prefix]",
      "allow later calls of the same tools in this session, too; with a prefix, the commands of Bash that begin with it",
    )
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
    .addOption(
      new Option(
        "--patch <file>",
        "save all changes as a patch for git apply; - for standard output",
      ).conflicts("stat"),
    )
    .option(
      "--repository <path>",
      "the repository of the patch, by its mount path or id; default: the only one with changes",
    )
    .action(action(() => import("./diff.ts"), "diffSession"));
  add(
    "pr <id>",
    "Ask the agent to push its commits and to open a pull request with a title and a body of its own; follow the turn, and print the address. If one is open and has all commits, only print its address.",
  )
    .option(
      "--repository <path>",
      "the repository, by its mount path or id; default: the only one with commits",
    )
    .addOption(
      new Option(
        "--state",
        "only print the state, checks and reviews that the host reports; exit code 1 if some cannot be read",
      ).conflicts("message"),
    )
    .option("--message <text>", "further instructions for the agent")
    .action(action(() => import("./open-pull-request.ts"), "openPullRequest"));
  add(
    "open <id> <port>",
    "Open a port of a session's sandbox in a browser, with an existing preview or a new one.",
  )
    .addOption(
      new Option("--expires-in <seconds>", "create a new preview, which ends after this").argParser(seconds),
    )
    .option("--no-open", "only print the address")
    .action(action(() => import("./open-preview.ts"), "openPreview"));
  add(
    "interrupt <id>",
    "Interrupt the running turn, and print its event. Prefer it to cancel, the operation of the API, which does nothing when no turn runs.",
  ).action(action(() => import("./actions.ts"), "interruptSession"));
  add("archive <id>", "Archive a session, which makes it read-only.").action(
    action(() => import("./actions.ts"), "archiveSession"),
  );
  const resources = commandGroup(sessions, ["sessions", "resources"]);
  add(
    "retry <session-id> <resource-id>",
    "Retry the failed clone of a repository at once.",
    resources,
  ).action(action(() => import("./actions.ts"), "retryClone"));
}

const ATTACH_HELP = `
Each line that you type is sent as a message, unless it is one of these commands:
  /interrupt       interrupt the running turn
  /allow           allow all tool calls that are waiting for a confirmation
  /always [words]  allow them, and later calls of the same tools in this session; with words, those of
                   Bash, and later commands that begin with the words
  /deny [reason]   deny them
  /detach          the same as Ctrl-C

Example:
  $ berth sessions attach $(berth run --detach "Fix the flaky test" --repo https://github.com/acme/shop)`;

const follow = new Option("-f, --follow", "follow the turn to its end, with the exit codes of berth run");

const HELP = `
Examples:
  $ berth sessions list --sort updated_at
  $ berth sessions list --search "flaky upload"
  $ berth sessions list --outcome retries_exhausted refusal
  $ berth sessions logs -f sess_01k…
  $ berth sessions attach sess_01k…
  $ berth sessions send -f sess_01k… "Now update the changelog, too"
  $ berth sessions allow -f --always "npm test" sess_01k…
  $ berth sessions diff --stat sess_01k…
  $ berth sessions diff --patch - sess_01k… | git apply
  $ berth sessions pr --message "Mention issue 12" sess_01k…
  $ berth sessions pr --state sess_01k…
  $ berth sessions open sess_01k… 5173
  $ berth sessions cp sess_01k… /mnt/session/outputs results
  $ berth sessions list --limit 500 --json | jq -r '.data[].id'`;
