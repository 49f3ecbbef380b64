import { readdirSync, readFileSync } from "node:fs";

/**
 * The machine's own lists of Debian packages of a suite, as paths: a mirror that the operator has chosen is used for the
 * tree as well. None where the machine has another system; the builder then asks Debian's own servers.
 *
 * @param directory default `/etc/apt`.
 */
export function aptSources(suite: string, directory = "/etc/apt"): string[] {
  const parts = list(`${directory}/sources.list.d`).map((name) => `${directory}/sources.list.d/${name}`);
  return [`${directory}/sources.list`, ...parts].filter((path) => namesSuite(path, suite));
}

/** A list of other packages for this suite, such as a vendor's, is not one of Debian's; one with a login is not for agents to read. */
function namesSuite(path: string, suite: string): boolean {
  if (!/\.(list|sources)$/.test(path)) return false;
  const text = read(path).replaceAll(/^\s*#.*$/gm, "");
  if (/:\/\/[^/\s]*@/.test(text)) return false;
  const suites = `${suite}(-(updates|security|proposed-updates|backports))?`;
  const oneLine = new RegExp(
    `^deb\\s(\\[[^\\]]*\\]\\s*)?\\S*/debian(-security)?/?\\s+${suites}\\s+main\\b`,
    "m",
  );
  const fields =
    new RegExp(`^Suites:.*\\b${suite}\\b`, "m").test(text) &&
    /^URIs:.*\/debian(-security)?\/?\s*$/m.test(text);
  return path.endsWith(".list") ? oneLine.test(text) : fields;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
