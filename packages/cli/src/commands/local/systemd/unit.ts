import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../../../shared/failure.ts";
import type { Role } from "./roles.ts";

const FILES = new URL("../../../../../../deploy/systemd/", import.meta.url);
const HEAD =
  /^# Made by berth install --systemd; as it was made, the SHA-256 of the rest is ([0-9a-f]{64})\n/;
/** Matches paths in directories that the unit replaces or hides from the service. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

/** Returns the text of a file that Berth ships for systemd. */
export function shippedFile(name: "berth.service" | "berth.yaml" | "berth.env" | "runner.conf"): string {
  return readFileSync(new URL(name, FILES), "utf8");
}

/** Returns the unit for this Berth, as root for a runner. @throws UsageError if its user could not run it. */
export function unitOfThisProgram(role: Role): string {
  const program = [process.execPath, realpathSync(process.argv[1] ?? "")];
  for (const path of program) requireReachable(path);
  const command = program.map((path) => `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`);
  const unit = shippedFile("berth.service").replace(
    /^ExecStart=.*$/m,
    () => `ExecStart=${command.join(" ")} serve`,
  );
  const text = role === "runner" ? `${unit}\n${shippedFile("runner.conf")}` : unit;
  return `# Made by berth install --systemd; as it was made, the SHA-256 of the rest is ${digest(text)}\n${text}`;
}

/** Returns the origin of a unit: `made` by the command and unchanged, `changed` since then, or `foreign`. */
export function originOf(unit: string): "made" | "changed" | "foreign" {
  const made = HEAD.exec(unit);
  if (made === null) return "foreign";
  return digest(unit.slice(made[0].length)) === made[1] ? "made" : "changed";
}

/** Returns whether a unit starts the service as root. */
export function isOfRunner(unit: string | null): boolean {
  return unit !== null && /^User=root$/m.test(unit);
}

function requireReachable(path: string): void {
  const isOpen = (file: string, bits: number) => (statSync(file).mode & bits) === bits;
  let isReachable = !HIDDEN.test(path) && isOpen(path, 0o004);
  for (let directory = dirname(path); directory !== "/"; directory = dirname(directory))
    isReachable &&= isOpen(directory, 0o001);
  if (!isReachable)
    throw new UsageError(
      `The service's own user cannot read ${path}: install Berth where every user can read it, such as below /usr/local.`,
    );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
