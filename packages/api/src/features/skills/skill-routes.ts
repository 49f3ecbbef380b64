import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { formatId, skillRoutes } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import { errors } from "@berth/store/errors";
import { mimeTypeOf, removeUnusedContent } from "@berth/store/files";
import { isDryRun } from "../../http/dry-run.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountContent } from "../../http/mount.ts";
import { type Form, mountUpload } from "../../http/mount-upload.ts";
import { listPage } from "../../request/page.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { type Content, contentResponse } from "../files/content-response.ts";
import { addSkill, addSkillVersion } from "./add-skill.ts";
import { deleteSkill, deleteSkillVersion } from "./delete-skill.ts";
import { readSkillUpload, type SkillUpload } from "./read-skill-upload.ts";
import { archiveSkill, listSkills, requireSkill, toSkill } from "./skill-store.ts";
import {
  listSkillVersions,
  requireSkillVersion,
  type SkillVersionRow,
  toSkillVersion,
} from "./skill-version-store.ts";
import { updateSkill } from "./update-skill.ts";

export function mountSkills(app: HttpApp, blobs: BlobStore): void {
  mountUpload(app, skillRoutes.create, async (request) => {
    const upload = await readSkillUpload(request, blobs, ["display_title", "metadata", "visibility"]);
    return formOf(upload, async (scope) => {
      const { principal, db } = scope;
      const id = await addSkill(db, principal, keptBy(scope, upload));
      return toSkill(await requireSkill(db.write, principal, formatId("skill", id)));
    });
  });
  mount(app, skillRoutes.list, (request, input) =>
    listPage(request, input, "skill", toSkill, (range) =>
      listSkills(request.db.read, request.principal, range, input.query),
    ),
  );
  mount(app, skillRoutes.get, async ({ principal, db }, { params }) =>
    toSkill(await requireSkill(db.read, principal, params.skill_id)),
  );
  mount(app, skillRoutes.update, async ({ principal, db }, { params, body }) =>
    toSkill(await updateSkill(db, principal, params.skill_id, body)),
  );
  mount(app, skillRoutes.delete, async ({ principal, db, afterCommit }, { params }) => {
    const contents = await deleteSkill(db, principal, params.skill_id);
    afterCommit(async (committed) => {
      for (const content of contents) await removeUnusedContent(committed, blobs, content);
    });
    return { id: params.skill_id, type: "skill_deleted" as const };
  });
  mount(app, skillRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await requireSkill(db.read, principal, params.skill_id);
    await archiveSkill(db.write, id);
    return toSkill(await requireSkill(db.write, principal, params.skill_id));
  });
  mountVersions(app, blobs);
}

function mountVersions(app: HttpApp, blobs: BlobStore): void {
  mountUpload(app, skillRoutes.createVersion, async (request, { skill_id: skillId }) => {
    const upload = await readSkillUpload(request, blobs, []);
    return formOf(upload, async (scope) => {
      const { principal, db } = scope;
      const added = await addSkillVersion(db, principal, skillId, keptBy(scope, upload));
      const id = formatId("skill_version", added);
      const skill = await requireSkill(db.write, principal, skillId);
      return toSkillVersion(await requireSkillVersion(db.write, skill.id, skillId, id));
    });
  });
  mount(app, skillRoutes.versions, async (request, input) => {
    const { id } = await requireSkill(request.db.read, request.principal, input.params.skill_id);
    return await listPage(request, input, "skill_version", toSkillVersion, (range) =>
      listSkillVersions(request.db.read, id, range),
    );
  });
  mount(app, skillRoutes.getVersion, async ({ principal, db }, { params }) => {
    const skill = await requireSkill(db.read, principal, params.skill_id);
    return toSkillVersion(await requireSkillVersion(db.read, skill.id, params.skill_id, params.version));
  });
  mountContent(app, skillRoutes.content, async ({ principal, db, header }, { params, query }) => {
    const skill = await requireSkill(db.read, principal, params.skill_id);
    const version = await requireSkillVersion(db.read, skill.id, params.skill_id, params.version);
    return contentResponse(await skillFile(version, query.path, blobs), header);
  });
  mount(app, skillRoutes.deleteVersion, async ({ principal, db, afterCommit }, { params }) => {
    const { id, sha256 } = await deleteSkillVersion(db, principal, {
      skillId: params.skill_id,
      version: params.version,
    });
    afterCommit((committed) => removeUnusedContent(committed, blobs, sha256));
    return { id: formatId("skill_version", id), type: "skill_version_deleted" as const };
  });
}

/** Makes a dry run store no content, because a rollback would not remove it from the blob store. */
function keptBy(scope: RequestScope, upload: SkillUpload): SkillUpload {
  return isDryRun(scope) ? { ...upload, content: { ...upload.content, keep: async () => {} } } : upload;
}

/** Two uploads are equal when they create equal versions. */
function formOf({ content, files, displayTitle, metadata }: SkillUpload, handle: Form["handle"]): Form {
  const parts = [content.sha256, JSON.stringify([files, displayTitle, metadata])];
  return { content: parts, handle, discard: content.discard };
}

/** Bytes from the start of a file that show its type. */
const HEAD_BYTES = 4_096;

/** Returns a file of a skill version. @throws errors.skillFileNotFound */
async function skillFile(row: SkillVersionRow, path: string, blobs: BlobStore): Promise<Content> {
  const file = row.files.find((one) => one.path === path);
  if (file === undefined) throw errors.skillFileNotFound(formatId("skill", row.skill_id), row.version, path);
  const { offset, size_bytes: size } = file;
  const read = ({ start, end } = { start: 0, end: size - 1 }) =>
    end < start ? Readable.from([]) : blobs.read(row.sha256, { start: offset + start, end: offset + end });
  const filename = path.slice(path.lastIndexOf("/") + 1);
  const head = await bytesOf(read({ start: 0, end: Math.min(size, HEAD_BYTES) - 1 }));
  // A version and its files never change.
  const stamp = createHash("sha256").update(`${row.sha256} ${offset} ${size}`).digest("hex");
  return { filename, mimeType: mimeTypeOf(filename, head), size, etag: `"${stamp.slice(0, 32)}"`, read };
}

async function bytesOf(source: Readable): Promise<Buffer> {
  return Buffer.concat(await source.toArray());
}
