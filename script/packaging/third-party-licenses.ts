import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type BillOfMaterials, type Component, npmProperty } from "./bill-of-materials.ts";

const LICENSE_FILE = /^(licen[cs]e|copying|notice|thirdparty|third-party)/i;

/** Returns name, licence and licence texts of every package of the bill, except Berth's own. */
export function thirdPartyLicenses(root: string, bill: BillOfMaterials): string {
  const directories = packageDirectories(root);
  const sections = bill.components
    .filter((component) => npmProperty(component, "private") !== "true")
    .map((component) => section(component, directories.get(component["bom-ref"])));
  return [`What Berth runs with, ${sections.length} packages, and their licences.\n`, ...sections].join(
    `\n${"=".repeat(80)}\n\n`,
  );
}

function section(component: Component, directory: string | undefined): string {
  const heading = `${component.name} ${component.version}\nLicence: ${licenseOf(component)}\n`;
  const texts = textsIn(directory);
  // A package for another platform is in the lockfile but not on this machine.
  return texts.length === 0
    ? `${heading}The package is not installed here, or has no file with the text.\n`
    : `${heading}\n${texts.join("\n")}`;
}

function licenseOf({ licenses = [] }: Component): string {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
  return names.join(", ") || "see its files";
}

function textsIn(directory: string | undefined): string[] {
  if (directory === undefined || !existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => `${readFileSync(join(directory, name), "utf8").trim()}\n`);
}

/** Returns the directory of each package of the lockfile, by `name@version`. */
function packageDirectories(root: string): Map<string, string> {
  const lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; link?: boolean }>;
  };
  return new Map(
    Object.entries(lockfile.packages)
      .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
      .map(([path, entry]) => [`${path.split("node_modules/").at(-1)}@${entry.version}`, join(root, path)]),
  );
}
