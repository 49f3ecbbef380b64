import { type Command, InvalidArgumentError, Option } from "commander";
import { withInstallation } from "../../shared/options.ts";
import { action } from "../action.ts";
import { addAdmin } from "./admin-command.ts";

/** Adds the commands that act on this machine instead of calling a server. */
export function addLocal(program: Command): void {
  addServe(program);
  addToken(program);
  addSecrets(program);
  addDoctor(program);
  addAdmin(program);
}

/** The flags of `serve` are the server's settings. They are read only when it is called, to keep other commands fast. */
function addServe(program: Command): void {
  program
    .command("serve")
    .summary("start the service")
    .argument("[flags...]")
    .usage("[flags]")
    .helpOption(false)
    .allowUnknownOption()
    .action(action(() => import("./serve.ts"), "serve"));
}

function addToken(program: Command): void {
  const token = program
    .command("token")
    .summary("make tokens")
    .description("Makes tokens for this installation.");
  const create = token
    .command("create")
    .description(
      "Makes a token, and the user or service account and the organization when they are missing. Prints the token alone.",
    )
    .option("--user <email>", "the user whom the token stands for")
    .option("--service-account <name>", "the service account that it stands for instead")
    .option("--org <name>", "the organization; default: the user's own, else the one named default")
    .addOption(new Option("--role <role>", "the user's role there").choices(["member", "admin"]))
    .addOption(
      new Option(
        "--kind <kind>",
        "pat stands for the user, sat for a service account of the same name",
      ).choices(["pat", "sat"]),
    )
    .option(
      "--scopes <list>",
      "scopes with commas between them, such as sessions:read,files:write",
      commaList,
    )
    .option("--expires-in <seconds>", "seconds until it expires; default: never", seconds);
  withInstallation(create)
    .addHelpText("after", TOKEN_HELP)
    .action(action(() => import("./create-token.ts"), "createToken"));
}

function addSecrets(program: Command): void {
  const secrets = program
    .command("secrets")
    .summary("replace the key of stored secrets")
    .description("Looks after the secrets that this installation stores.");
  const rewrap = secrets
    .command("rewrap")
    .description("Seals every stored secret with a new key, and deletes the former key.")
    .option("--former-key-file <file>", "the key before, where BERTH_SECRET_KEY_FILE names your own new one");
  withInstallation(rewrap)
    .addHelpText("after", REWRAP_HELP)
    .action(action(() => import("./rewrap-secrets.ts"), "rewrap"));
}

function addDoctor(program: Command): void {
  const doctor = program
    .command("doctor")
    .summary("show what this machine offers and lacks")
    .description(
      "Shows what this machine offers and lacks: sandbox, settings, models, database. Exit code 1 when something that users rely on is missing.",
    );
  withInstallation(doctor).action(action(() => import("./doctor.ts"), "doctor"));
}

function commaList(value: string): string[] {
  return value.split(",").map((item) => item.trim());
}

function seconds(value: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(value)) throw new InvalidArgumentError("It must be a number of seconds.");
  return Number(value);
}

const TOKEN_HELP = `
It works whether the service runs or not. The token is shown this once; only its hash is stored.

Examples:
  $ export BERTH_TOKEN=$(berth token create --user you@example.com)
  $ berth token create --service-account ci --scopes sessions:read,sessions:write --expires-in 86400`;

const REWRAP_HELP = `
Stop every service of the database first. A call that was cut off is called again: it goes on with the rest. Cursors of lists
that were given out before are refused afterwards.`;
