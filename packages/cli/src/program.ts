import { Command } from "commander";
import { addAdmin } from "./commands/admin/command.ts";
import { addApi } from "./commands/api/command.ts";
import { addApply } from "./commands/apply/command.ts";
import { addCi } from "./commands/ci/command.ts";
import { addCompletion } from "./commands/completion/command.ts";
import { addConnect } from "./commands/connect/command.ts";
import { addConsole } from "./commands/console/command.ts";
import { addFiles } from "./commands/files/command.ts";
import { addHealth } from "./commands/health/command.ts";
import { addLocal } from "./commands/local/command.ts";
import { addLogin } from "./commands/login/command.ts";
import { addRun } from "./commands/run/command.ts";
import { addService } from "./commands/service/command.ts";
import { addSessions } from "./commands/sessions/command.ts";
import { addSkills } from "./commands/skills/command.ts";
import { addUsage } from "./commands/usage/command.ts";
import { addOperations } from "./operations/operation-commands.ts";
import { version } from "./shared/version.ts";
import { paletteFor } from "./terminal/palette.ts";

/** Builds the command tree. The code of a command is loaded only when it runs. */
export function createProgram(): Command {
  const { bold } = paletteFor(process.stdout);
  const program = new Command("berth")
    .description("Run coding agents in sandboxed sessions.")
    .version(version)
    .configureHelp({ styleTitle: bold, showGlobalOptions: false, subcommandDescription: sentenceOf })
    .showHelpAfterError("Run with --help for usage.")
    .exitOverride()
    // Options after a command belong to it, not to a parent command that has options of the same names.
    .enablePositionalOptions()
    .addHelpText("after", HELP);
  addLocal(program);
  addAdmin(program);
  addRun(program);
  addCi(program);
  addSessions(program);
  addUsage(program);
  addHealth(program);
  addService(program);
  addConnect(program);
  addConsole(program);
  addLogin(program);
  addFiles(program);
  addSkills(program);
  addOperations(program);
  addApply(program);
  addApi(program);
  addCompletion(program);
  return program;
}

/** Returns what a command does, as a sentence: summaries of groups are phrases, descriptions are sentences. */
function sentenceOf(command: Command): string {
  const text = command.summary() || command.description();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

const HELP = `
Examples:
  $ berth serve --data-dir ./berth-data
  $ export BERTH_TOKEN=$(berth bootstrap --data-dir ./berth-data --user you@example.com)
  $ berth run "Add a test for the parser" --repo https://github.com/acme/shop --model anthropic/claude-opus-5

Commands print data to standard output and messages to standard error. With --json, data is JSON.`;
