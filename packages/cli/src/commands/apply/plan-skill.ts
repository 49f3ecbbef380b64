import { createHash } from "node:crypto";
import type { Berth, SkillVersion } from "@berth/sdk";
import { type SkillFile, skillFiles } from "../skills/skill-files.ts";
import { byName } from "./by-name.ts";
import { checked, DRY_RUN } from "./check.ts";
import { pathFrom } from "./document-files.ts";
import { type ObjectDocument, shownAs } from "./documents.ts";
import type { Fault } from "./faults.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import type { Thing } from "./kinds.ts";
import { withMark } from "./set-mark.ts";
import { foreignSet, isFaulty, type Planning, type Step } from "./step.ts";

/** States of a version's files, by path: the hash of the content, and whether it is executable. */
type FileStates = Readonly<Record<string, string>>;

const INTERPRETED = Buffer.from("#!");

/** Metadata files of macOS, which the service ignores. */
const IGNORED = /(^|\/)\.DS_Store$|^__MACOSX\//;

/**
 * Plans a skill, which is identified by the name in its `SKILL.md`. A directory with the same files as the
 * newest version creates no version.
 */
export async function planSkill(given: ObjectDocument, planning: Planning): Promise<Step | Fault[]> {
  const document = shownAs(given, { "files[]": "directory" });
  const { directory: path, ...fields } = document.body;
  const known = await byName(planning.listing, "skill", document.name);
  if (typeof known === "string") return [document.fault("directory", known)];
  const foreign = foreignSet(document, "directory", known, planning.set);
  if (foreign.length > 0) return foreign;
  const body = withMark(fields, planning.set, known);
  const { contractErrors } = await import("./contract-faults.ts");
  // A form carries only text, so the service would not see errors of other types.
  const errors = contractErrors("skill", "update", body);
  if (errors.length > 0) return errors.map(({ param, message }) => document.fault(param, message));
  const files = (await skillFiles(pathFrom(document.directory, String(path)))).filter(
    ({ name }) => !IGNORED.test(name),
  );
  return known === undefined
    ? await planNew(document, files, body, planning)
    : await planChange(document, known, files, body, planning);
}

/** Fields besides the files, as in the contract. */
interface Fields {
  display_title?: string | null;
  metadata?: Record<string, string> | null;
}

async function planNew(
  document: ObjectDocument,
  files: readonly SkillFile[],
  body: Record<string, unknown>,
  { client }: Planning,
): Promise<Step | Fault[]> {
  const { display_title, metadata } = body as Fields;
  const send = (headers = {}) =>
    client.skills.create(files, {
      headers,
      ...(display_title == null ? {} : { display_title }),
      ...(metadata == null ? {} : { metadata }),
    });
  const after = await checked(document, "create", body, () => send(DRY_RUN));
  if (isFaulty(after)) return after;
  return {
    document,
    changes: [...fieldChanges({}, body), ...fileChanges({}, await statesOf(files))],
    carryOut: async () => ({ id: (await send()).id, done: "created" }),
  };
}

async function planChange(
  document: ObjectDocument,
  known: Thing,
  files: readonly SkillFile[],
  body: Record<string, unknown>,
  { client }: Planning,
): Promise<Step | Fault[]> {
  const version = await client.skills.getVersion(known.id, Number(known.latest_version));
  const ofFiles = fileChanges(statesOfVersion(version), await statesOf(files));
  const uploaded =
    ofFiles.length === 0
      ? null
      : await checked(document, "update", body, () =>
          client.skills.createVersion(known.id, files, { headers: DRY_RUN }),
        );
  if (uploaded !== null && isFaulty(uploaded)) return uploaded;
  const after = await checked(document, "update", body, () => update(client, known, body, DRY_RUN));
  if (isFaulty(after)) return after;
  const ofFields = fieldChanges(known, after);
  const isChanged = ofFields.length + ofFiles.length > 0;
  return {
    ...{ document, known, changes: [...ofFields, ...ofFiles] },
    async carryOut() {
      if (ofFiles.length > 0) await client.skills.createVersion(known.id, files);
      if (ofFields.length > 0) await update(client, known, body);
      return { id: known.id, done: isChanged ? "updated" : "unchanged" };
    },
  };
}

async function update(client: Berth, { id }: Thing, body: Fields, headers = {}): Promise<Thing> {
  return { ...(await client.skills.update(id, body, { headers })) };
}

/** Returns the states on the service, where a file that names its interpreter is always executable. */
async function statesOf(files: readonly SkillFile[]): Promise<FileStates> {
  const states = files.map(async ({ name, content, executable }) => {
    const hash = createHash("sha256");
    for await (const piece of content.stream()) hash.update(piece);
    const isInterpreted = INTERPRETED.equals(await content.slice(0, INTERPRETED.length).bytes());
    return [name, stateOf(hash.digest("hex"), executable || isInterpreted)] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

function statesOfVersion({ files }: SkillVersion): FileStates {
  return Object.fromEntries(
    files.map(({ path, content_sha256, executable }) => [path, stateOf(content_sha256, executable)]),
  );
}

function stateOf(hash: string, executable: boolean): string {
  return `sha256:${hash}${executable ? ":executable" : ""}`;
}

function fileChanges(before: FileStates, after: FileStates): FieldChange[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths]
    .filter((path) => before[path] !== after[path])
    .toSorted()
    .map((path) => ({ field: `files/${path}`, before: before[path], after: after[path] }));
}
