import { readFileSync } from "node:fs";
import { join } from "node:path";
import { debianPackages } from "./debian-packages.ts";
import { run } from "./run.ts";

/** The parts of a CycloneDX document that a release reads or changes. */
export type BillOfMaterials = {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

export type Component = {
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  properties?: { name: string; value: string }[];
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
};

/**
 * Every package that Berth runs with, on any platform, with the digest in the lockfile and its licence. `--omit=dev` would
 * also omit what both development and the service need, so packages for development alone are taken out here, except
 * for those of which the console's bundle has code, and those which only the Debian package has. What
 * differs from run to run, the serial number and the time, is left out; the document's format does not require them.
 */
export async function billOfMaterials(root: string): Promise<BillOfMaterials> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--loglevel=error"];
  const bill = JSON.parse(await run("npm", args, root)) as BillOfMaterials;
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  bill.metadata.component.name = "berth"; // npm takes the name of the directory.
  const debian = [...debianPackages(root).values()].map(({ name, version }) => `${name}@${version}`);
  const shipped = new Set([...bundledPackages(root), ...debian]);
  const isOmitted = (component: Component) => isDevelopment(component) && !shipped.has(component["bom-ref"]);
  const components = bill.components.filter((component) => !isOmitted(component));
  const kept = new Set(bill.dependencies.map(({ ref }) => ref));
  for (const component of bill.components) if (isOmitted(component)) kept.delete(component["bom-ref"]);
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  return { ...bill, components, dependencies };
}

/** The packages in the bundle of the console, as `name@version`. Its build writes them. */
function bundledPackages(root: string): string[] {
  return JSON.parse(readFileSync(join(root, "packages/console/dist/packages.json"), "utf8")) as string[];
}

/** A value of npm's own about a package, such as `path`. */
export function npmProperty(component: Component, name: string): string | undefined {
  return component.properties?.find((property) => property.name === `cdx:npm:package:${name}`)?.value;
}

function isDevelopment(component: Component): boolean {
  return npmProperty(component, "development") === "true";
}
