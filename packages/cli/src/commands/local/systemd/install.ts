import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../shared/failure.ts";
import { printLine } from "../../../terminal/print.ts";
import {
  CACHE,
  DATA,
  fileAt,
  isDirectory,
  requireOwnData,
  requireSystemd,
  SETTINGS,
  UNIT,
  USER,
  userId,
} from "./machine.ts";
import type { Role } from "./roles.ts";
import { runProgram, type Step, takeSteps } from "./steps.ts";
import { isOfRunner, originOf, shippedFile, unitOfThisProgram } from "./unit.ts";

interface InstallOptions {
  systemd: boolean;
  role?: Role;
  dryRun?: boolean;
}

const YAML = join(SETTINGS, "berth.yaml");

/**
 * Installs this Berth as a systemd service and starts it. Keeps existing files that were changed. A service
 * that shares a database and has new settings is not started, since these do not name the database yet.
 */
export async function install({ role, dryRun }: InstallOptions): Promise<undefined> {
  requireSystemd("install");
  const unitRole = role ?? (isOfRunner(fileAt(UNIT)) ? "runner" : "all");
  requireOwnData(unitRole === "runner");
  const isNew = fileAt(YAML) === null;
  const steps = [...userSteps(), ...settingsSteps(role), ...unitSteps(unitRole)];
  const reload = { what: "reload the units of systemd", act: () => runProgram("systemctl", "daemon-reload") };
  const isReady = isAlone(role) || !isNew;
  takeSteps([...steps, ...(steps.length > 0 ? [reload] : []), startStep(isReady)], dryRun === true);
  if (!isReady && dryRun !== true)
    printLine(
      `Write the settings that this service shares with the others to ${YAML}, then run: systemctl start berth`,
    );
}

function startStep(isReady: boolean): Step {
  const now = isReady ? ["--now"] : [];
  return {
    what: `start the service${isReady ? ", now and" : ""} with the machine`,
    act: () => runProgram("systemctl", "enable", ...now, "berth.service"),
    undo: () => runProgram("systemctl", "disable", ...now, "berth.service"),
  };
}

function userSteps(): Step[] {
  if (userId() !== null) return kept(`the user ${USER}`);
  const hadData = isDirectory(DATA);
  const options = ["--system", "--user-group", "--home-dir", "/var/lib/berth", "--no-create-home"];
  return [
    {
      what: `create the system user ${USER}`,
      act: () => runProgram("useradd", ...options, "--shell", "/usr/sbin/nologin", USER),
      undo: () => {
        if (!hadData) for (const path of [DATA, CACHE]) rmSync(path, { recursive: true, force: true });
        runProgram("userdel", USER);
      },
    },
  ];
}

function settingsSteps(role: Role | undefined): Step[] {
  const present = fileAt(YAML);
  if (role !== undefined && present !== null) requireRole(present, role, YAML);
  const settings = shippedFile("berth.yaml");
  const make = {
    what: `create the directory ${SETTINGS}`,
    act: () => mkdirSync(SETTINGS, { mode: 0o755 }),
    undo: () => rmdirSync(SETTINGS),
  };
  return [
    ...(isDirectory(SETTINGS) ? [] : [make]),
    ...newFile(YAML, role === undefined ? settings : withRole(settings, role), 0o644),
    ...newFile(join(SETTINGS, "berth.env"), shippedFile("berth.env"), 0o600),
  ];
}

function newFile(path: string, text: string, mode: number): Step[] {
  return fileAt(path) === null ? [writing(path, null, { text, mode })] : kept(path);
}

function unitSteps(role: Role): Step[] {
  const unit = { text: unitOfThisProgram(role), mode: 0o644 };
  const present = fileAt(UNIT);
  if (present === null) return [writing(UNIT, null, unit)];
  if (originOf(present) === "foreign")
    throw new UsageError(`${UNIT} is in the way: berth install --systemd did not make it.`);
  if (present === unit.text) return kept(UNIT);
  return originOf(present) === "made" ? [writing(UNIT, present, unit)] : kept(`${UNIT}, which was changed`);
}

/** Returns the step that writes a file. @param former Current text of the file; null if it does not exist. */
function writing(path: string, former: string | null, { text, mode }: { text: string; mode: number }): Step {
  return {
    what: `write ${path}`,
    act: () => replace(path, text, mode),
    undo: () => (former === null ? rmSync(path, { force: true }) : replace(path, former, mode)),
  };
}

function replace(path: string, text: string, mode: number): void {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { mode: 0o600, flag: "wx", flush: true });
  chmodSync(part, mode);
  renameSync(part, path);
}

function kept(what: string): Step[] {
  printLine(`Kept: ${what}.`);
  return [];
}

/** Settings that a service shares with the others, for the operator to fill in. */
const SHARED = `
# The same on every machine; the files belong to the service's user.
# database_url_file: /etc/berth/database.url
# secret_key_file: /etc/berth/secret.key
# blobs: s3://bucket/prefix
`;

/** Returns new settings with the role. */
function withRole(settings: string, role: Role): string {
  const text = settings.replace(/^# role:.*$/m, `role: ${role}`);
  return isAlone(role) ? text : text + SHARED;
}

/** Returns whether the service can start with settings that contain only its role. */
function isAlone(role: Role | undefined): boolean {
  return role === undefined || role === "all";
}

/** Requires that existing settings have this role. @throws UsageError if they have another one. */
function requireRole(settings: string, role: Role, path: string): void {
  const [, present = "all"] = /^role:\s*["']?(\w+)/m.exec(settings) ?? [];
  if (present === role) return;
  throw new UsageError(
    `${path} already exists with the role ${present}: write 'role: ${role}' into it first.`,
  );
}
