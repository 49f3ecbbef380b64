import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { packBerth } from "./pack-berth.ts";
import { packSdk } from "./pack-sdk.ts";
import { tagFault, tagRelease } from "./release-tag.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

const ROOT = join(import.meta.dirname, "../..");

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const isTagged = process.argv[2] === "--tag";
const places = process.argv.slice(isTagged ? 3 : 2);
const directory = resolve(places[0] ?? join(ROOT, "release", version));

const fault = faultOf(places) ?? (isTagged ? await tagFault(ROOT, version) : undefined);
if (fault === undefined) await release();
else {
  console.error(`release: ${fault}`);
  process.exitCode = 2;
}

/** One sentence about arguments with which nothing is begun. */
function faultOf(args: readonly string[]): string | undefined {
  if (args.length > 1) return `one directory is expected, and ${args.length} arguments were given.`;
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    return `${directory} is not a directory.`;
  const foreign = filesIn(directory).find((file) => !isOurs(file));
  return foreign && `${directory} holds other files, such as ${foreign}; name an empty directory.`;
}

async function release(): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const file of filesIn(directory)) rmSync(join(directory, file));
  await packSdk(ROOT, directory);
  await packBerth(ROOT, directory);
  const bill = await billOfMaterials(ROOT);
  writeFileSync(join(directory, `berth-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
  writeFileSync(join(directory, "THIRD-PARTY-LICENSES"), thirdPartyLicenses(ROOT, bill));
  writeFileSync(join(directory, "SHA256SUMS"), checksums());
  for (const file of filesIn(directory)) console.log(join(directory, file));
  if (isTagged) console.log(`tagged ${await tagRelease(ROOT, version)}; git push origin takes it to others`);
}

/** In the form that `sha256sum --check` reads. */
function checksums(): string {
  const digest = (file: string): string =>
    createHash("sha256")
      .update(readFileSync(join(directory, file)))
      .digest("hex");
  return filesIn(directory)
    .map((file) => `${digest(file)}  ${file}\n`)
    .join("");
}

/** What an earlier release left in the directory is replaced; anything else is somebody's. */
function isOurs(file: string): boolean {
  return /^(berth-.+\.(tgz|cdx\.json)|SHA256SUMS|THIRD-PARTY-LICENSES)$/.test(file);
}

function filesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
