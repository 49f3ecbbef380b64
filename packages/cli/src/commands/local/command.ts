import { type Command, Option } from "commander";
import { commaList, seconds, withInstallation } from "../../shared/options.ts";
import { action } from "../action.ts";
import { addInstall } from "./systemd/command.ts";

/** Adds the commands that act on the installation of this host instead of calling a server. */
export function addLocal(program: Command): void {
  addUp(program);
  addServe(program);
  addConfig(program);
  addBootstrap(program);
  addSecrets(program);
  addBlobs(program);
  addDoctor(program);
  addBackup(program);
  addMigrate(program);
  addSystem(program);
  addInstall(program);
  const local = [
    "up",
    "serve",
    "bootstrap",
    "secrets",
    "blobs",
    "doctor",
    "backup",
    "restore",
    "migrate",
    "system",
    "install",
    "uninstall",
  ];
  for (const command of program.commands)
    if (local.includes(command.name())) command.hook("preAction", () => requireLinux(command.name()));
}

/** Fails on systems where Berth cannot run. @throws UsageError */
async function requireLinux(name: string): Promise<void> {
  if (process.platform === "linux") return;
  const { UsageError } = await import("../../shared/failure.ts");
  throw new UsageError(
    `berth ${name} needs Linux. On this system, commands that call a Berth elsewhere work: set its URL with --url or BERTH_URL.`,
  );
}

function addUp(program: Command): void {
  program
    .command("up")
    .summary("start the service and watch a first session")
    .argument("[flags...]")
    .usage("[flags]")
    .helpOption(false)
    .allowUnknownOption()
    .action(action(() => import("./up.ts"), "up"));
}

/** Adds `serve`. Its flags, the settings, are read when it runs, so that other commands start fast. */
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

function addConfig(program: Command): void {
  const config = program
    .command("config")
    .summary("check and print the settings of the service")
    .description("Check and print the settings of the service on this host.");
  const add = (verb: string, summary: string, name: "checkConfig" | "printConfig") =>
    config
      .command(verb)
      .summary(summary)
      .argument("[flags...]")
      .usage("[flags]")
      .helpOption(false)
      .allowUnknownOption()
      .action(action(() => import("./config.ts"), name));
  add("check", "report what is wrong with the settings", "checkConfig");
  add("print", "show every setting and where it comes from", "printConfig");
}

function addBootstrap(program: Command): void {
  const bootstrap = program
    .command("bootstrap")
    .summary("create a first token, on the host of the service")
    .description(
      "Create a token and print it: of a user, who is created with the organization if missing, or one for 'berth admin'.",
    )
    .option("--user <email>", "user of the token")
    .addOption(
      new Option("--operator <name>", "create an operator token of this name instead").conflicts([
        "user",
        "org",
        "role",
        "scopes",
      ]),
    )
    .option("--org <name>", "organization; default: the user's, else the organization named default")
    .addOption(
      new Option(
        "--role <role>",
        "role of the user; default: member for a new user, unchanged for others",
      ).choices(["member", "admin"]),
    )
    .option(
      "--scopes <list>",
      "comma-separated scopes, such as sessions:read,files:write; default: *",
      commaList,
    )
    .option("--expires-in <seconds>", "seconds until the token expires; default: never", seconds);
  withInstallation(bootstrap)
    .addHelpText("after", BOOTSTRAP_HELP)
    .action(action(() => import("./bootstrap.ts"), "bootstrap"));
}

function addSecrets(program: Command): void {
  const secrets = program
    .command("secrets")
    .summary("replace the key that encrypts stored secrets")
    .description("Manage the secrets that this installation stores.");
  const rewrap = secrets
    .command("rewrap")
    .description("Encrypt all stored secrets with a new key, and delete the old key.")
    .option("--former-key-file <file>", "old key, if BERTH_SECRET_KEY_FILE names a new key of your own");
  withInstallation(rewrap)
    .addHelpText("after", REWRAP_HELP)
    .action(action(() => import("./rewrap-secrets.ts"), "rewrap"));
}

function addBlobs(program: Command): void {
  const blobs = program
    .command("blobs")
    .summary("move the contents of files to another place")
    .description("Move file contents to another place.");
  const move = blobs
    .command("move")
    .summary("copy all contents to another place, which the installation then uses")
    .description(
      "Copy the contents of all files and skills to another place, each verified by its hash. The service must be stopped. If the command is interrupted, the next call continues it.",
    )
    .requiredOption("--from <place>", "where they are, as BERTH_BLOBS names it")
    .requiredOption("--to <place>", "where they go: disk, a directory, or s3://bucket/prefix");
  withInstallation(move).action(action(() => import("./blobs.ts"), "moveBlobs"));
}

function addDoctor(program: Command): void {
  const doctor = program
    .command("doctor")
    .summary("check what this machine supports")
    .description(
      "Check what this machine supports: sandbox, settings, models, database. The exit code is 1 if something that users need is missing.",
    );
  withInstallation(doctor).action(action(() => import("./doctor.ts"), "doctor"));
}

function addBackup(program: Command): void {
  const backup = program
    .command("backup <dir>")
    .summary("copy an installation to a new directory")
    .description(
      "Copy the database and the file contents to a new directory. The copy has everything that was acknowledged before it ended.",
    )
    .option("--with-key", "also copy the secret key, which decrypts all stored secrets");
  withInstallation(backup)
    .addHelpText("after", BACKUP_HELP)
    .action(action(() => import("./backup.ts"), "makeBackup"));
  const restore = program
    .command("restore <dir>")
    .summary("create a data directory from a backup")
    .description("Create a new data directory from a backup, or check a backup.")
    .option("--secret-key-file <file>", "the secret key of the installation, if the backup does not have it")
    .option("--check", "restore to a temporary directory, read every content, and remove the directory");
  withInstallation(restore)
    .addHelpText("after", RESTORE_HELP)
    .action(action(() => import("./backup.ts"), "restoreBackup"));
}

function addMigrate(program: Command): void {
  const migrate = program
    .command("migrate")
    .summary("update the schema of the database")
    .description(
      "Update the schema of an installation's database, as a start of the service does unless BERTH_MIGRATE is off.",
    )
    .option("--dry-run", "print what would be done, and change nothing");
  withInstallation(migrate)
    .addHelpText("after", MIGRATE_HELP)
    .action(action(() => import("./migrate.ts"), "migrate"));
}

function addSystem(program: Command): void {
  const system = program
    .command("system")
    .summary("build, show, export or import the system of sandboxes")
    .description(
      "Build, show, export or import the system of sandboxes: a Debian that the service otherwise builds at its first start. Use these commands to build it earlier, or without a network.",
    );
  withInstallation(
    system
      .command("build")
      .summary("build it now")
      .description("Build it, unless it is there. Takes minutes."),
  ).action(action(() => import("./system.ts"), "build"));
  withInstallation(
    system
      .command("show")
      .summary("show where it is, with the versions of its packages")
      .description("Show where it is, with the versions of its packages."),
  ).action(action(() => import("./system.ts"), "show"));
  withInstallation(
    system
      .command("export <file>")
      .summary("pack it for other machines")
      .description("Pack it into a new file, such as system.tar.zst, for other machines."),
  ).action(action(() => import("./system.ts"), "exportTo"));
  withInstallation(
    system
      .command("import <file>")
      .summary("unpack it, in place of a build")
      .description(
        "Unpack it from a file of 'export' by the same version of Berth. Whoever made the file decides what runs in sandboxes.",
      ),
  )
    .addHelpText("after", SYSTEM_HELP)
    .action(action(() => import("./system.ts"), "importFrom"));
}

const SYSTEM_HELP = `
Example, for a machine that reaches neither Debian's servers nor the npm registry:
  $ berth system export system.tar.zst     # on a machine that does
  $ berth system import system.tar.zst`;

const BOOTSTRAP_HELP = `
For an installation that has no token yet, or lost all of them; with a token, 'berth tokens' and 'berth admin' create others.
This command works whether or not the service is running. The token is shown only once; Berth stores its hash.

Examples:
  $ export BERTH_TOKEN=$(berth bootstrap --user you@example.com)
  $ berth bootstrap --operator ops --expires-in 86400 > operator.token`;

const BACKUP_HELP = `
This command works whether or not the service is running, and does not delay it. Keep the secret key, secret.key in the
data directory, in another place than the backup: without it, stored secrets cannot be read. Disks of sessions are not copied.

Example:
  $ berth backup /backups/berth-$(date +%F)`;

const RESTORE_HELP = `
Stop the service of the installation first: two copies of one installation would both continue its sessions. The sessions
continue without their disks: repositories are cloned again, and the agents are told.

Examples:
  $ berth restore /backups/berth-2026-11-22 --check
  $ berth restore /backups/berth-2026-11-22 --data-dir /var/lib/berth --secret-key-file secret.key`;

const MIGRATE_HELP = `
Services of this release and of the release before can run meanwhile and afterwards: a schema keeps what the release before
uses, so an upgrade can be rolled back. Each migration is applied whole or not at all.

Example:
  $ berth migrate --dry-run`;

const REWRAP_HELP = `
Stop all services that use the database first. If the command is interrupted, run it again: it continues with the
remaining secrets. Cursors of lists that were returned before are rejected afterwards.`;
