import { type Command, Option } from "commander";
import { positiveInteger, withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addSessions(program: Command): void {
  const sessions = program
    .command("sessions")
    .summary("list, read and steer sessions")
    .description("Lists, reads and steers sessions.")
    .addHelpText("after", help);
  const add = (usage: string, summary: string) => {
    const command = sessions.command(usage).description(summary).option("--json", "print JSON");
    return withConnection(command);
  };

  add("list", "Lists sessions, newest first.")
    .option("--limit <number>", "how many at most", positiveInteger, 20)
    .addOption(
      new Option("--status <status...>", "only those").choices([
        "idle",
        "running",
        "rescheduling",
        "terminated",
      ]),
    )
    .option("--archived", "archived ones, too")
    .action(action(() => import("./list.ts"), "listSessions"));
  add("get <id>", "Shows one session.").action(action(() => import("./get.ts"), "getSession"));
  add("logs <id>", "Shows what happened in a session; with --json its events as JSON lines.")
    .option("-f, --follow", "go on with what happens until the session is terminated or Ctrl-C")
    .action(action(() => import("./logs.ts"), "sessionLogs"));
  add("send <id> <message>", "Sends a message to a session; '-' reads it from standard input.")
    .addOption(follow)
    .action(action(() => import("./actions.ts"), "sendMessage"));
  add("allow <id> [call-id...]", "Lets tool calls run that wait for a confirmation; default: all.")
    .addOption(follow)
    .action(action(() => import("./answer-calls.ts"), "allowCalls"));
  add("deny <id> [call-id...]", "Refuses tool calls that wait for a confirmation; default: all.")
    .option("--message <text>", "what the agent is told")
    .addOption(follow)
    .action(action(() => import("./answer-calls.ts"), "denyCalls"));
  add("interrupt <id>", "Ends the turn that runs; the session can go on.").action(
    action(() => import("./actions.ts"), "interruptSession"),
  );
  add("archive <id>", "Makes a session read only.").action(
    action(() => import("./actions.ts"), "archiveSession"),
  );
}

const follow = new Option("-f, --follow", "show what the agent does then, and end with the turn as run does");

const help = `
Examples:
  $ berth sessions list --status running
  $ berth sessions logs -f sess_01k…
  $ berth sessions send -f sess_01k… "Now update the changelog, too"
  $ berth sessions list --limit 500 --json | jq -r '.data[].id'`;
