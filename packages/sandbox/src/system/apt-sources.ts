import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the paths of the machine's own source lists for a Debian suite, so that a root filesystem comes
 * from the operator's mirror. Empty when the machine runs another system; the build then uses Debian's own
 * servers.
 *
 * @param directory Default: `/etc/apt`.
 */
export function aptSources(suite: string, directory = "/etc/apt"): string[] {
  const parts = list(`${directory}/sources.list.d`).map((name) => `${directory}/sources.list.d/${name}`);
  return [`${directory}/sources.list`, ...parts].filter((path) => listsSuite(path, suite));
}

/**
 * Returns whether the file lists Debian's own suite. Ignores a vendor's list, and one with a login, which
 * agents could read.
 */
function listsSuite(path: string, suite: string): boolean {
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
