import type { Command } from "commander";
import { withOutput, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the commands about the services that the user is logged in to. */
export function addLogin(program: Command): void {
  program
    .command("login [url]")
    .summary("log in to a service")
    .description(
      "Check a token, and store it for a service under the name of a context, which becomes the current one. The token is asked for, or read from standard input.",
    )
    .option("--name <name>", "name of the context; default: the host of the URL")
    .option("--token-file <file>", "file that contains the token")
    .addHelpText("after", HELP)
    .action(action(() => import("./login.ts"), "login"));
  program
    .command("logout [name]")
    .summary("forget a service and its token")
    .description("Forget a context and its token; default: the current one.")
    .option("--revoke", "also revoke the token, so that nobody can use it any more")
    .action(action(() => import("./logout.ts"), "logout"));
  addContexts(program);
}

function addContexts(program: Command): void {
  const context = program
    .command("context")
    .summary("choose between services")
    .description(
      "List the contexts, which are services that you are logged in to, and choose the current one.",
    );
  const load = () => import("./contexts.ts");
  withOutput(context.command("list").description("List the contexts.")).action(action(load, "listContexts"));
  context
    .command("use <name>")
    .description("Make a context the current one.")
    .action(action(load, "useContext"));
  withOutput(context.command("show").description("Show the current context.")).action(
    action(load, "showContext"),
  );
  withYes(context.command("remove <name>").description("Forget a context and its token.")).action(
    action(load, "removeContext"),
  );
}

const HELP = `
To create a token: berth token create --user you@example.com, on the machine of the service; or berth tokens create.

The current context is taken where nothing else says which service is meant: no --url, --context, --data-dir or --token-file, and
no BERTH_URL, BERTH_CONTEXT, BERTH_DATA_DIR, BERTH_TOKEN or BERTH_TOKEN_FILE. Its token is sent to its URL alone.

Example:
  $ berth login https://berth.example.com
  $ berth login https://berth.example.com --name work < token-file`;
