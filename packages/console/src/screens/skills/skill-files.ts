import type { SkillVersion } from "@berth/sdk";

/** A file to upload, with its path in the skill's directory. */
export type SkillFile = { name: string; content: Blob };

/** Returns what to upload: a zip archive alone as it is, anything else as files by path. */
export function uploadOf(files: readonly SkillFile[]): SkillFile | readonly SkillFile[] {
  const [only] = files;
  return files.length === 1 && only !== undefined && /\.zip$/i.test(only.name) ? only : files;
}

/** Returns the files of a picker. Those of a directory keep their path in it. */
export function pickedFiles(files: Iterable<File>): SkillFile[] {
  return [...files]
    .map((file) => ({ name: file.webkitRelativePath || file.name, content: file }))
    .filter(({ name }) => !isClutter(name));
}

/** Whether a file is one that operating systems and git add by themselves. */
function isClutter(path: string): boolean {
  return /(^|\/)(\.DS_Store|Thumbs\.db|__MACOSX\/.*|\.git\/.*)$/.test(path);
}

/** Returns the dropped files, including those in directories. */
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
  // The reader returns entries in batches, and an empty batch at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return found;
    for (const inner of part) found.push(...(await filesOf(inner)));
  }
}

export type FileChange = { path: string; kind: "added" | "changed" | "removed" };

/** Returns the differences between the files of two versions. */
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
  return one.executable === other.executable && one.content_sha256 === other.content_sha256;
}
