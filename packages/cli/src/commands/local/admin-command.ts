import { type Command, Option } from "commander";
import { withInstallation } from "../../shared/options.ts";
import { action } from "../action.ts";

const load = () => import("./admin.ts");

export function addAdmin(program: Command): void {
  const admin = program
    .command("admin")
    .summary("organizations, users and service accounts")
    .description("Looks after organizations, users and service accounts of the installation on this machine.")
    .addHelpText("after", HELP);
  addOrganizations(admin);
  addUsers(admin);
  addServiceAccounts(admin);
}

function addOrganizations(admin: Command): void {
  const noun = admin.command("organizations").description("Lists, makes and renames organizations.");
  add(noun, "list", "Lists organizations.").action(action(load, "listOrganizations"));
  add(noun, "create <name>", "Makes an organization.").action(action(load, "createOrganization"));
  add(noun, "rename <name> <new-name>", "Renames an organization.").action(
    action(load, "renameOrganization"),
  );
}

function addUsers(admin: Command): void {
  const noun = admin.command("users").description("Lists and makes users; disables them, and sets roles.");
  const role = new Option("--role <role>", "the user's role").choices(["member", "admin"]).default("member");
  add(noun, "list", "Lists users.")
    .option("--org <name>", "only of this one")
    .action(action(load, "listUsers"));
  add(noun, "create <email>", "Makes a user, without a token.")
    .requiredOption("--org <name>", "the user's organization")
    .addOption(role)
    .action(action(load, "createUser"));
  add(noun, "set-role <email> <role>", "Sets a user's role: member or admin.").action(
    action(load, "setRole"),
  );
  add(noun, "disable <email>", "Refuses the user's tokens from now on.").action(action(load, "disableUser"));
  add(noun, "enable <email>", "Takes the user's tokens again.").action(action(load, "enableUser"));
}

function addServiceAccounts(admin: Command): void {
  const noun = admin
    .command("service-accounts")
    .description("Lists, makes and disables service accounts, which sat tokens stand for.");
  const of = (usage: string, summary: string) =>
    add(noun, usage, summary).requiredOption("--org <name>", "the organization that it belongs to");
  add(noun, "list", "Lists service accounts.")
    .option("--org <name>", "only of this one")
    .action(action(load, "listServiceAccounts"));
  of("create <name>", "Makes a service account, without a token.").action(
    action(load, "createServiceAccount"),
  );
  of("disable <name>", "Refuses its tokens from now on.").action(action(load, "disableServiceAccount"));
  of("enable <name>", "Takes its tokens again.").action(action(load, "enableServiceAccount"));
}

function add(noun: Command, usage: string, summary: string): Command {
  return withInstallation(noun.command(usage).description(summary));
}

const HELP = `
They work whether the service runs or not. 'berth token create' makes tokens for who is named here.

Examples:
  $ berth admin organizations create acme
  $ berth admin users create ada@example.com --org acme --role admin
  $ berth admin users disable ada@example.com
  $ berth admin service-accounts list --org acme`;
