import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { packAction } from "./pack-action.ts";
import { packBerth, stageBerth } from "./pack-berth.ts";
import { packDeb } from "./pack-deb.ts";
import { packManifests } from "./pack-manifests.ts";
import { packSdk } from "./pack-sdk.ts";
import { tagFault, tagRelease } from "./release-tag.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

const ROOT = join(import.meta.dirname, "../..");

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const isTagged = process.argv.includes("--tag");
const hasDeb = !process.argv.includes("--no-deb");
const places = process.argv.slice(2).filter((word) => word !== "--tag" && word !== "--no-deb");
const directory = resolve(places[0] ?? join(ROOT, "release", version));

const fault = faultOf(places) ?? (isTagged ? await tagFault(ROOT, version) : undefined);
if (fault === undefined) await release();
else {
  console.error(`release: ${fault}`);
  process.exitCode = 2;
}

/** Returns one sentence about invalid arguments or a missing program; undefined if the release can begin. */
function faultOf(args: readonly string[]): string | undefined {
  if (args.length > 1) return `one directory is expected, and ${args.length} arguments were given.`;
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    return `${directory} is not a directory.`;
  if (hasDeb && !onPath("dpkg-deb"))
    return "dpkg-deb is missing here, which builds the Debian package; --no-deb leaves that out.";
  const foreign = filesIn(directory).find((file) => !isOurs(file));
  return foreign && `${directory} holds other files, such as ${foreign}; name an empty directory.`;
}

async function release(): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const file of filesIn(directory)) rmSync(join(directory, file));
  await packSdk(ROOT, directory);
  await packManifests(directory, version);
  await packAction(ROOT, directory, version);
  const bill = await billOfMaterials(ROOT);
  writeFileSync(join(directory, `berth-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
  const licenses = thirdPartyLicenses(ROOT, bill);
  writeFileSync(join(directory, "THIRD-PARTY-LICENSES"), licenses);
  await packAll(licenses);
  writeFileSync(join(directory, "SHA256SUMS"), checksums());
  for (const file of filesIn(directory)) console.log(join(directory, file));
  if (isTagged) console.log(`tagged ${await tagRelease(ROOT, version)}; git push origin takes it to others`);
}

async function packAll(licenses: string): Promise<void> {
  const staging = mkdtempSync(join(tmpdir(), "berth-package-"));
  try {
    await stageBerth(ROOT, staging);
    await packBerth(staging, directory);
    if (hasDeb) await packDeb(ROOT, directory, { staging, licenses });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Returns the digests in the format of `sha256sum --check`. */
function checksums(): string {
  const digest = (file: string): string =>
    createHash("sha256")
      .update(readFileSync(join(directory, file)))
      .digest("hex");
  return filesIn(directory)
    .map((file) => `${digest(file)}  ${file}\n`)
    .join("");
}

/** Whether an earlier release left the file, so that it may be replaced. Other files are kept. */
function isOurs(file: string): boolean {
  return /^(berth-.+\.(tgz|cdx\.json)|berth_.+\.deb|SHA256SUMS|THIRD-PARTY-LICENSES)$/.test(file);
}

function onPath(program: string): boolean {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return directories.some((path) => statSync(join(path, program), { throwIfNoEntry: false })?.isFile());
}

function filesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
