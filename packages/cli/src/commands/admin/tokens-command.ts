import type { Command } from "commander";
import { commaList, seconds, withClient, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";
import { OF_ORGANIZATION } from "./of-organization.ts";

const load = () => import("./tokens.ts");

/** Adds the commands for tokens: of users and service accounts that exist, and of operators. */
export function addTokens(admin: Command): void {
  const tokens = admin
    .command("tokens")
    .description("Create, list and revoke tokens of users and of service accounts.");
  withClient(
    tokens.command("create").description("Create a token of a user or a service account, and print it."),
  )
    .option("--user <email>", "user of the token")
    .option("--service-account <name>", "service account of the token, instead of a user")
    .option("--org <name>", `of the service account: ${OF_ORGANIZATION}`)
    .option("--name <name>", "name of the token; default: who created it")
    .option("--scopes <list>", "comma-separated scopes; default: *", commaList)
    .option("--expires-in <seconds>", "seconds until the token expires; default: never", seconds)
    .option("--independent", "let it outlive the token of the admin who creates it")
    .action(action(load, "createToken"));
  withClient(
    tokens
      .command("list")
      .description(
        "List the tokens of users and service accounts, and sign-ins to the console, newest first.",
      ),
  )
    .option("--org <name>", "only those of this organization")
    .option("--user <email>", "only those of this user")
    .action(action(load, "listTokens"));
  withYes(
    withClient(
      tokens.command("revoke <id>").description("Revoke a token and those that were created with it."),
    ),
  ).action(action(load, "revokeToken"));
  addOperatorTokens(admin);
}

function addOperatorTokens(admin: Command): void {
  const noun = admin
    .command("operator-tokens")
    .summary("manage the tokens that administer the installation")
    .description("Create, list and revoke operator tokens, which administer the installation.");
  withClient(noun.command("create <name>").description("Create an operator token, and print it."))
    .option("--expires-in <seconds>", "seconds until the token expires; default: never", seconds)
    .addHelpText("after", HELP)
    .action(action(load, "createOperatorToken"));
  withClient(
    noun.command("list").description("List operator tokens, newest first, with their last use."),
  ).action(action(load, "listOperatorTokens"));
  withYes(
    withClient(
      noun
        .command("revoke <id>")
        .description("Revoke an operator token and those that were created with it."),
    ),
  ).action(action(load, "revokeOperatorToken"));
}

const HELP = `
The token is only accepted by 'berth admin' and the API below /api/v1/admin. It belongs to no organization. It is
shown only once; Berth stores its hash. It is revoked with the token that created it, and does not outlive it.

Example:
  $ berth admin operator-tokens create provisioning --expires-in 2592000 > operator.token
  $ berth admin users list --url https://berth.example.com --token-file operator.token`;
