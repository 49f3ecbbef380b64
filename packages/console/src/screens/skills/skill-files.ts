import type { SkillVersion } from "@berth/sdk";

/** A file that is uploaded, with its path in the skill's directory. */
export type SkillFile = { name: string; content: Blob };

/** A zip archive alone is sent as it is; anything else as files by their paths. */
export function uploadOf(files: readonly SkillFile[]): SkillFile | readonly SkillFile[] {
  const [only] = files;
  return files.length === 1 && only !== undefined && /\.zip$/i.test(only.name) ? only : files;
}

/** Files that a picker gave; those of a directory have their path in it. */
export function pickedFiles(files: Iterable<File>): SkillFile[] {
  return [...files]
    .map((file) => ({ name: file.webkitRelativePath || file.name, content: file }))
    .filter(({ name }) => !isClutter(name));
}

/** What computers put into directories by themselves. */
function isClutter(path: string): boolean {
  return /(^|\/)(\.DS_Store|Thumbs\.db|__MACOSX\/.*|\.git\/.*)$/.test(path);
}

/** The files of what was dropped, directories with all that is in them. */
export async function droppedFiles(items: DataTransferItemList): Promise<SkillFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files = await Promise.all(entries.map((entry) => filesOf(entry)));
  return files.flat().filter(({ name }) => !isClutter(name));
}

async function filesOf(entry: FileSystemEntry): Promise<SkillFile[]> {
  if (entry instanceof FileSystemFileEntry) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ""), content: file }];
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) return [];
  const reader = entry.createReader();
  const found: SkillFile[] = [];
  // A reader gives the entries in parts, and an empty part at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return found;
    for (const inner of part) found.push(...(await filesOf(inner)));
  }
}

export type FileChange = { path: string; kind: "added" | "changed" | "removed" };

/** What differs between the files of two versions. Without hashes, sizes tell. */
export function changesBetween(before: SkillVersion, after: SkillVersion): FileChange[] {
  const old = new Map(before.files.map((file) => [file.path, file]));
  const fresh = new Set(after.files.map(({ path }) => path));
  const kept = after.files.flatMap((file): FileChange[] => {
    const was = old.get(file.path);
    if (was === undefined) return [{ path: file.path, kind: "added" }];
    return isSame(was, file) ? [] : [{ path: file.path, kind: "changed" }];
  });
  const gone = before.files.filter(({ path }) => !fresh.has(path));
  return [...kept, ...gone.map(({ path }): FileChange => ({ path, kind: "removed" }))];
}

type VersionFile = SkillVersion["files"][number];

function isSame(one: VersionFile, other: VersionFile): boolean {
  return (
    one.executable === other.executable &&
    one.size_bytes === other.size_bytes &&
    (one.content_sha256 === null || one.content_sha256 === other.content_sha256)
  );
}
