import type { Command } from "commander";
import { caFileOption, commaList, withConnection, withOutput, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the commands about the services that the user is logged in to. */
export function addLogin(program: Command): void {
  const login = program
    .command("login [url]")
    .summary("log in to a service, or approve a login elsewhere")
    .description(
      "Check a token, and store it for a service under the name of a context, which becomes the current one. The command asks for the token, or reads it from standard input. Without a token, it requests one from the service, and somebody who is logged in approves the request.",
    )
    .option("--name <name>", "name of the context; default: the host of the URL")
    .option("--token-file <file>", "file that contains the token")
    .addOption(caFileOption())
    .option("--device", "without a token: show a code with which somebody approves the login elsewhere")
    .option("--scopes <list>", "with --device: comma-separated scopes of the token; default: *", commaList)
    .addHelpText("after", HELP)
    // Otherwise `login` would parse the options of `approve` as its own.
    .enablePositionalOptions()
    .action(action(() => import("./login.ts"), "login"));
  withConnection(withOutput(withYes(login.command("approve <code>"))))
    .summary("approve or deny a login elsewhere")
    .description(
      "Show the login with this code, and give it a token of yours, which expires and is revoked together with the token that you use.",
    )
    .option(
      "--scopes <list>",
      "comma-separated scopes of the token; default: the requested scopes",
      commaList,
    )
    .option("--deny", "deny it a token")
    .addHelpText("after", APPROVE_HELP)
    .action(action(() => import("./approve.ts"), "approve"));
  program
    .command("logout [name]")
    .summary("forget a service and its token")
    .description("Forget a context and its token; default: the current one.")
    .option("--revoke", "also revoke the token, so that nobody can use it anymore")
    .action(action(() => import("./logout.ts"), "logout"));
  addContexts(program);
}

function addContexts(program: Command): void {
  const context = program
    .command("context")
    .summary("list the services that you are logged in to, and choose one")
    .description("List the contexts (the services that you are logged in to), and choose the current one.");
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
To create a token: berth bootstrap --user you@example.com, on the host of the service; or berth tokens create.

The current context is used when nothing else names a service: no --url, --context, --data-dir or --token-file, and
no BERTH_URL, BERTH_CONTEXT, BERTH_DATA_DIR, BERTH_TOKEN or BERTH_TOKEN_FILE. Its token is only sent to its URL.

Example:
  $ berth login https://berth.example.com
  $ berth login https://berth.example.com --name work < token-file
  $ berth login https://berth.example.com --device`;

const APPROVE_HELP = `
Only approve a code that you see on your own device, or that its owner reads to you. The name that is shown is what the
device calls itself, and is not verified; the address is where its request came from.

Example:
  $ berth login approve WDJB-MJHT
  $ berth login approve WDJB-MJHT --scopes sessions:read,agents:read
  $ berth login approve WDJB-MJHT --deny`;
