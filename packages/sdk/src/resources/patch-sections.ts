/** Returns the parts of a diff as git writes it, one for each file. Lines of files never begin as a part does. */
export function sectionsOf(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
}

/**
 * Returns the path of a part's file as git writes it: quoted if it has unusual characters; for a renamed file
 * the new one.
 */
export function pathOf(section: string): string {
  const [header = ""] = section.split("\n", 1);
  const renamed = /^rename to (.*)$/m.exec(section.slice(0, section.indexOf("\n@@") + 1 || undefined));
  if (renamed?.[1] !== undefined) return renamed[1];
  // Without a renaming both names are the same, but for their first letter.
  const names = header.slice("diff --git ".length);
  const name = names.slice((names.length + 1) / 2);
  return name.startsWith('"') ? `"${name.slice(3)}` : name.slice(2);
}

const SUBMODULE = /^(?:index [0-9a-f]+\.\.[0-9a-f]+|(?:new file|deleted file|old|new) mode) 160000$/m;

/**
 * Returns why `git apply` would reject a part, or change a file to something else than it is in the session;
 * null if it would not.
 */
export function faultOf(section: string): string | null {
  if (/^Binary files .* differ$/m.test(section)) return "It is binary, or too large to compare.";
  if (SUBMODULE.test(section)) return "It is a repository within the repository.";
  if (section.includes("\ufffd")) return "It is not UTF-8.";
  if (section.includes("[redacted]") || !isWhole(section))
    return "It may have a secret, which is shown as [redacted].";
  return null;
}

/** Whether the hunks of a part have as many lines as they say. */
function isWhole(section: string): boolean {
  let [old, fresh] = [0, 0];
  for (const line of section.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    const isInside = old > 0 || fresh > 0;
    if (!isInside && hunk !== null) [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else if (isInside) {
      if (line.startsWith("\\")) continue;
      if (!/^[ +-]/.test(line)) return false;
      if (!line.startsWith("+")) old -= 1;
      if (!line.startsWith("-")) fresh -= 1;
    }
  }
  return old === 0 && fresh === 0;
}
