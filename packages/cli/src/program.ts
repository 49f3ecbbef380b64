import tab from "@bomb.sh/tab/commander";
import { Command } from "commander";
import { addApi } from "./commands/api/command.ts";
import { addApply } from "./commands/apply/command.ts";
import { addFiles } from "./commands/files/command.ts";
import { addLocal } from "./commands/local/command.ts";
import { addRun } from "./commands/run/command.ts";
import { addSessions } from "./commands/sessions/command.ts";
import { addSkills } from "./commands/skills/command.ts";
import { addOperations } from "./operations/operation-commands.ts";
import { version } from "./shared/version.ts";
import { paletteFor } from "./terminal/palette.ts";

/** The tree of commands. Their work is loaded when one is called. */
export function createProgram(): Command {
  const { bold } = paletteFor(process.stdout);
  const program = new Command("berth")
    .description("Runs coding agents in sandboxed sessions.")
    .version(version)
    .configureHelp({ styleTitle: bold, showGlobalOptions: false })
    .showHelpAfterError("(for help: --help)")
    .exitOverride()
    .addHelpText("after", help);
  addLocal(program);
  addRun(program);
  addSessions(program);
  addFiles(program);
  addSkills(program);
  addOperations(program);
  addApply(program);
  addApi(program);
  tab(program, { completionCommandName: "completion" });
  program.commands
    .find((command) => command.name() === "completion")
    ?.summary("print a script that completes commands in a shell")
    .addHelpText("after", "\nExample:\n  $ source <(berth completion bash)");
  return program;
}

const help = `
Examples:
  $ berth serve --data-dir ./berth-data
  $ export BERTH_TOKEN=$(berth token create --data-dir ./berth-data --user you@example.com)
  $ berth run "Add a test for the parser" --repo https://github.com/acme/shop --model anthropic/claude-opus-5

Standard output is data, standard error is talk. --json prints data as JSON.`;
