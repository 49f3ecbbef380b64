import { readFileSync } from "node:fs";
import { join } from "node:path";
import { debianPackages } from "./debian-packages.ts";
import { PUBLISHED_NAME } from "./published-name.ts";
import { run } from "./run.ts";
import { shippedPackages } from "./shipped-packages.ts";

/** The parts of a CycloneDX document that a release reads or changes. */
export type BillOfMaterials = {
  serialNumber?: string;
  metadata: { timestamp?: string; component: Component };
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
 * Returns a bill of every package that Berth runs with, on any platform, with its licence and the lockfile's
 * digest: those that are shipped, those in the console's bundle, and those in the Debian package. The serial
 * number and time, which differ in each run, are left out; the format does not require them.
 */
export async function billOfMaterials(root: string): Promise<BillOfMaterials> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--loglevel=error"];
  const bill = JSON.parse(await run("npm", args, root)) as BillOfMaterials;
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  bill.metadata.component = publishedComponent(bill.metadata.component);
  const debian = [...debianPackages(root).values()].map(({ name, version }) => `${name}@${version}`);
  const kinds = [bundledPackages(root), debian, shippedPackages(root).values()];
  const shipped = new Set(kinds.flatMap((kind) => [...kind]));
  const isOmitted = ({ "bom-ref": ref }: Component) => !ref.startsWith("@berth/") && !shipped.has(ref);
  const components = bill.components.filter((component) => !isOmitted(component));
  const kept = new Set(bill.dependencies.map(({ ref }) => ref));
  for (const component of bill.components) if (isOmitted(component)) kept.delete(component["bom-ref"]);
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  return { ...bill, components, dependencies };
}

/**
 * Returns the component that the bill describes, with its published name. npm uses the names of the
 * directory and the repository.
 */
function publishedComponent({ properties: _, ...component }: Component): Component {
  const purl = `pkg:npm/${PUBLISHED_NAME.replace("@", "%40")}@${component.version}`;
  return { ...component, name: PUBLISHED_NAME, purl };
}

/** Returns the packages in the console's bundle, as `name@version`. Its build writes the list. */
function bundledPackages(root: string): string[] {
  return JSON.parse(readFileSync(join(root, "packages/console/dist/packages.json"), "utf8")) as string[];
}

/** Returns a value that npm records about a package, such as `path`. */
export function npmProperty(component: Component, name: string): string | undefined {
  return component.properties?.find((property) => property.name === `cdx:npm:package:${name}`)?.value;
}
