import { rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../shared/failure.ts";
import { printLine } from "../../../terminal/print.ts";
import {
  CACHE,
  DATA,
  fileAt,
  requireOwnData,
  requireSystemd,
  SETTINGS,
  statusOf,
  UNIT,
  USER,
  userId,
} from "./machine.ts";
import { runProgram, type Step, takeSteps } from "./steps.ts";
import { isOfRunner, originOf } from "./unit.ts";

interface UninstallOptions {
  systemd: boolean;
  purge?: boolean;
  dryRun?: boolean;
}

/** Reverts `install`. Keeps settings, data and the user, unless they are purged. */
export async function uninstall({ purge, dryRun }: UninstallOptions): Promise<undefined> {
  requireSystemd("uninstall");
  if (purge) requireOwnData(isOfRunner(fileAt(UNIT)));
  const steps = [...unitSteps(), ...(purge ? purgeSteps() : [])];
  takeSteps(steps, dryRun === true);
  if (steps.length === 0) printLine("There is nothing to remove.");
}

function unitSteps(): Step[] {
  const unit = fileAt(UNIT);
  if (unit === null) return [];
  if (originOf(unit) === "foreign")
    throw new UsageError(`${UNIT} is in the way: berth install --systemd did not make it.`);
  return [
    {
      what: "stop the service",
      act: () => runProgram("systemctl", "disable", "--now", "berth.service"),
    },
    { what: `remove ${UNIT}`, act: () => rmSync(UNIT) },
    { what: "reload the units of systemd", act: () => runProgram("systemctl", "daemon-reload") },
  ];
}

/**
 * Returns the steps that remove settings, data and the user. Other files in the directory of settings are
 * kept, and so is the directory then.
 */
function purgeSteps(): Step[] {
  const paths = [join(SETTINGS, "berth.yaml"), join(SETTINGS, "berth.env"), DATA, CACHE];
  const removals = paths
    .filter((path) => statusOf(path) !== null)
    .map((path) => ({ what: `remove ${path}`, act: () => rmSync(path, { recursive: true }) }));
  const directory = {
    what: `remove ${SETTINGS}, if it is empty`,
    act: () => runProgram("rmdir", "--ignore-fail-on-non-empty", SETTINGS),
  };
  const user = { what: `remove the user ${USER}`, act: () => runProgram("userdel", USER) };
  return [
    ...removals,
    ...(statusOf(SETTINGS) === null ? [] : [directory]),
    ...(userId() === null ? [] : [user]),
  ];
}
