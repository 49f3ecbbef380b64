import { formatId, skillRoutes } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { type Form, mountUpload } from "../../http/mount-upload.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { removeUnused } from "../files/remove-unused.ts";
import { addSkill, addSkillVersion } from "./add-skill.ts";
import { deleteSkill, deleteSkillVersion } from "./delete-skill.ts";
import { findSkillVersion, reachSkill } from "./reach-skill.ts";
import { readSkillUpload, type SkillUpload } from "./read-skill-upload.ts";
import { archiveSkill, listSkills, skillAnswer } from "./skill-store.ts";
import { listSkillVersions, skillVersionAnswer } from "./skill-version-store.ts";
import { updateSkill } from "./update-skill.ts";

export function mountSkills(app: HttpApp, blobs: BlobStore): void {
  mountUpload(app, skillRoutes.create, async (request) => {
    const upload = await readSkillUpload(request, blobs, ["display_title", "metadata"]);
    return formOf(upload, async ({ principal, db }) => {
      const id = await addSkill(db, principal, upload);
      return skillAnswer(await reachSkill(db.write, principal, formatId("skill", id)));
    });
  });
  mount(app, skillRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "skill");
    const filters = { archived: input.query.include_archived };
    const rows = await listSkills(context.db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "skill", rows, skillAnswer);
  });
  mount(app, skillRoutes.get, async ({ principal, db }, { params }) =>
    skillAnswer(await reachSkill(db.read, principal, params.skill_id)),
  );
  mount(app, skillRoutes.update, async ({ principal, db }, { params, body }) =>
    skillAnswer(await updateSkill(db, principal, params.skill_id, body)),
  );
  mount(app, skillRoutes.delete, async ({ principal, db, afterwards }, { params }) => {
    const contents = await deleteSkill(db, principal, params.skill_id);
    afterwards(async (then) => {
      for (const content of contents) await removeUnused(then, blobs, content);
    });
    return { id: params.skill_id, type: "skill_deleted" as const };
  });
  mount(app, skillRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await reachSkill(db.read, principal, params.skill_id);
    await archiveSkill(db.write, id);
    return skillAnswer(await reachSkill(db.write, principal, params.skill_id));
  });
  mountVersions(app, blobs);
}

function mountVersions(app: HttpApp, blobs: BlobStore): void {
  mountUpload(app, skillRoutes.createVersion, async (request, { skill_id: skillId }) => {
    const upload = await readSkillUpload(request, blobs, []);
    return formOf(upload, async ({ principal, db }) => {
      const id = formatId("skill_version", await addSkillVersion(db, principal, skillId, upload));
      const skill = await reachSkill(db.write, principal, skillId);
      return skillVersionAnswer(await findSkillVersion(db.write, skill, skillId, id));
    });
  });
  mount(app, skillRoutes.versions, async (context, input) => {
    const { id } = await reachSkill(context.db.read, context.principal, input.params.skill_id);
    const place = keysetPlace(context, input, "skill_version");
    const rows = await listSkillVersions(context.db.read, id, place);
    return pageAnswer(context, input, place, "skill_version", rows, skillVersionAnswer);
  });
  mount(app, skillRoutes.getVersion, async ({ principal, db }, { params }) => {
    const skill = await reachSkill(db.read, principal, params.skill_id);
    return skillVersionAnswer(await findSkillVersion(db.read, skill, params.skill_id, params.version));
  });
  mount(app, skillRoutes.deleteVersion, async ({ principal, db, afterwards }, { params }) => {
    const wanted = { skillId: params.skill_id, version: params.version };
    const { id, sha256 } = await deleteSkillVersion(db, principal, wanted);
    afterwards((then) => removeUnused(then, blobs, sha256));
    return { id: formatId("skill_version", id), type: "skill_version_deleted" as const };
  });
}

/** Two uploads are the same when they make the same version. */
function formOf({ content, files, displayTitle, metadata }: SkillUpload, work: Form["work"]): Form {
  const parts = [content.sha256, JSON.stringify([files, displayTitle, metadata])];
  return { content: parts, work, drop: content.discard };
}
