import { type Command, InvalidArgumentError, Option } from "commander";
import { commaList, positiveInteger, withClient, withYes } from "../../shared/options.ts";
import { action } from "../action.ts";
import { addErasures } from "./erasures-command.ts";
import { addLimits } from "./limits-command.ts";
import { OF_ORGANIZATION } from "./of-organization.ts";
import { addRetention } from "./retention-command.ts";
import { addTokens } from "./tokens-command.ts";

const load = () => import("./members.ts");
const loadHosts = () => import("./hosts.ts");
const loadLogins = () => import("./logins.ts");

export function addAdmin(program: Command): void {
  const admin = program
    .command("admin")
    .summary("manage organizations, users, service accounts and hosts, and read the audit log")
    .description(
      "Manage the organizations, users, service accounts and hosts of a service, with an operator token; or an organization, with a token of an admin of it.",
    )
    .addHelpText("after", HELP);
  addOrganizations(admin);
  addUsers(admin);
  addServiceAccounts(admin);
  addTokens(admin);
  addLogins(admin);
  addHosts(admin);
  addSessions(admin);
  addLimits(admin);
  addRetention(admin);
  addErasures(admin);
  addAudit(admin);
}

function addAudit(admin: Command): void {
  add(admin, "audit", "Print who changed what, and from where, newest first.")
    .option(
      "--org <name>",
      "only changes in this organization; a name, or an id, such as the id of an erased one",
    )
    .option("--user <email>", "only changes by this user; an email address or an id")
    .option(
      "--operation <name>",
      "only this operation, such as agents.create, or all operations of a noun, such as agents",
    )
    .option("--resource <id>", "only changes of the object with this id")
    .option(
      "--since <time>",
      "only changes from this time on, such as 2026-11-01 or 2026-11-01T12:00:00Z",
      time,
    )
    .option("--until <time>", "only before this time", time)
    .addOption(new Option("--limit <count>", "how many").argParser(positiveInteger).default(100))
    .option("--all", "all of them")
    .addOption(
      new Option("--format <format>", "print all of them as this format, for other programs")
        .choices(["jsonl", "csv"])
        .conflicts(["limit", "all", "json", "output"]),
    )
    .addHelpText("after", AUDIT_HELP)
    .action(action(() => import("./audit.ts"), "listAuditEntries"));
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("It must be a date, or a date and time.");
  return date;
}

function addOrganizations(admin: Command): void {
  const noun = admin
    .command("organizations")
    .description("List, create and rename organizations, and change their settings.");
  add(noun, "list", "List organizations.").action(action(load, "listOrganizations"));
  add(noun, "create <name>", "Create an organization.").action(action(load, "createOrganization"));
  add(noun, "rename <name> <new-name>", "Rename an organization.").action(action(load, "renameOrganization"));
  add(
    noun,
    "set <name>",
    "Set what its members share unless they say otherwise, or whether commits are signed. Existing objects do not change.",
  )
    .addOption(
      new Option("--default-visibility <visibility>", "default visibility of new objects").choices([
        "private",
        "organization",
      ]),
    )
    .addOption(
      new Option(
        "--commit-signing <on|off>",
        "sign commits of sessions; on prints the public key, off deletes the key",
      ).choices(["on", "off"]),
    )
    .option(
      "--admin-group <name>",
      "group of SCIM whose members are admins; the other users of SCIM are members",
    )
    .option("--no-admin-group", "let no group decide about roles")
    .action(action(load, "setOrganization"));
}

function addUsers(admin: Command): void {
  const noun = admin
    .command("users")
    .description("List and create users, disable them, and set their roles.");
  const role = new Option("--role <role>", "the user's role").choices(["member", "admin"]).default("member");
  add(noun, "list", "List users.")
    .option("--org <name>", "only members of this organization")
    .action(action(load, "listUsers"));
  add(noun, "create <email>", "Create a user, without a token.")
    .option("--org <name>", OF_ORGANIZATION)
    .addOption(role)
    .action(action(load, "createUser"));
  add(noun, "set-role <email> <role>", "Set a user's role: member or admin.").action(action(load, "setRole"));
  withYes(add(noun, "disable <email>", "Disable a user: their tokens are rejected.")).action(
    action(load, "disableUser"),
  );
  add(noun, "enable <email>", "Enable a user: their tokens are accepted again.").action(
    action(load, "enableUser"),
  );
}

function addServiceAccounts(admin: Command): void {
  const noun = admin.command("service-accounts").description("List, create and disable service accounts.");
  const of = (usage: string, summary: string) =>
    add(noun, usage, summary).option("--org <name>", OF_ORGANIZATION);
  add(noun, "list", "List service accounts.")
    .option("--org <name>", "only members of this organization")
    .action(action(load, "listServiceAccounts"));
  of("create <name>", "Create a service account, without a token.").action(
    action(load, "createServiceAccount"),
  );
  withYes(of("disable <name>", "Disable a service account: its tokens are rejected.")).action(
    action(load, "disableServiceAccount"),
  );
  of("enable <name>", "Enable a service account: its tokens are accepted again.").action(
    action(load, "enableServiceAccount"),
  );
}

function addLogins(admin: Command): void {
  const noun = admin
    .command("login")
    .summary("approve and deny logins by device")
    .description("Approve and deny logins of 'berth login --device', by the code that each login shows.");
  withYes(
    add(noun, "approve <code>", "Approve the login that shows this code, and give it a token of a user."),
  )
    .requiredOption("--user <email>", "the user to whom the token belongs")
    .option(
      "--scopes <list>",
      "comma-separated scopes of the token; default: the requested scopes",
      commaList,
    )
    .action(action(loadLogins, "approveLogin"));
  withYes(add(noun, "deny <code>", "Deny the login that shows this code.")).action(
    action(loadLogins, "denyLogin"),
  );
}

function addHosts(admin: Command): void {
  const noun = admin
    .command("hosts")
    .description("List, drain and forget the services that share the database.");
  withClient(
    noun
      .command("list", { isDefault: true })
      .description(
        "List hosts, with their load, the sessions whose disk each has, and settings that differ.",
      ),
  ).action(action(loadHosts, "listHosts"));
  add(
    noun,
    "drain <host>",
    "Prepare a host for removal: it takes no new sessions, and gives up the disk of each idle session.",
  )
    .option("--cancel", "take sessions again")
    .addHelpText("after", DRAIN_HELP)
    .action(action(loadHosts, "drainHost"));
  withYes(
    add(
      noun,
      "forget <host>",
      "Give up the disks of a host that no longer exists, so that its sessions continue elsewhere.",
    ),
  )
    .option("--force", "also forget a running host, which then deletes the disks")
    .action(action(loadHosts, "forgetHost"));
}

function addSessions(admin: Command): void {
  const noun = admin.command("sessions").description("Release sessions that are set aside.");
  add(
    noun,
    "release <session>",
    "Run turns again of a session that was set aside because it crashed the process that ran it.",
  ).action(action(loadHosts, "releaseSession"));
}

const AUDIT_HELP = `
Each change that a request or a command on the host made has one entry, stored together with the change. Entries cannot
be changed or deleted. They have ids, but no contents. With --json each entry is a line of JSON.

Example:
  $ berth admin audit --user ada@example.com --since 2026-11-01 --json
  $ berth admin audit --org acme --format csv > audit.csv`;

const DRAIN_HELP = `
Before a disk is given up, the files below /mnt/session/outputs are saved as Files, and changes of memory stores are
kept. Everything else on the disk is deleted, also commits that were not pushed: repositories are cloned again by the
session's next host. A running turn ends first. 'berth admin hosts list' shows how many sessions are left.`;

function add(noun: Command, usage: string, summary: string): Command {
  return withClient(noun.command(usage).description(summary));
}

const HELP = `
The service is the one of --url, BERTH_URL, the context or the data directory, as for other commands. An operator token administers all
organizations: create the first one with 'berth bootstrap --operator NAME' on the host of the service. A token of an admin, with
the scopes admin:read and admin:write, administers the admin's own organization, but no hosts, limits or operator tokens.

Examples:
  $ export BERTH_TOKEN=$(berth bootstrap --operator ops)
  $ berth admin organizations create acme
  $ berth admin operator-tokens create provisioning --expires-in 2592000
  $ berth admin users create ada@example.com --org acme --role admin
  $ berth admin users disable ada@example.com
  $ berth admin service-accounts list --org acme
  $ berth admin login approve WDJB-MJHT --user ada@example.com
  $ berth admin hosts list
  $ berth admin audit --org acme`;
