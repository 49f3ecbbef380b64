import { z } from "zod";
import {
  deletedObject,
  idOf,
  metadata,
  metadataPatch,
  referenceTo,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { sharedOwner, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";

/** The name in `SKILL.md`, which is also the name of the skill's directory in a sandbox. */
export const skillName = z.string().regex(/^[a-z0-9-]{1,64}$/, {
  error: "Field '{field}' must be 1 to 64 lower-case letters, digits and hyphens.",
});

export const skillDescription = text(1, 4_096);
/** Maximum characters in the Agent Skills format; other clients may reject or cut longer descriptions. */
export const MAX_PORTABLE_DESCRIPTION = 1_024;

const warnings = z.array(z.string()).meta({
  description: "Deviations of its `SKILL.md` from the Agent Skills format, which other clients may reject.",
});
export const skillTitle = text(1, 256);

export const skill = z
  .strictObject({
    id: idOf("skill"),
    type: z.literal("skill"),
    name: z.string().meta({ description: "From `SKILL.md`. The same in all versions." }),
    display_title: z.string().nullable(),
    description: z.string().meta({ description: "From the `SKILL.md` of the newest version." }),
    status: z.enum(["active", "archived"]),
    skill_type: z.literal("custom"),
    latest_version: z.int().meta({ description: "The number of the newest version, from 1." }),
    warnings,
    metadata,
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Skill" });
export type Skill = z.output<typeof skill>;

export const skillVersion = z
  .strictObject({
    id: idOf("skill_version"),
    type: z.literal("skill_version"),
    skill_id: idOf("skill"),
    version: z.int().meta({
      description: "The number of the version, from 1. Numbers of deleted versions are not reused.",
    }),
    name: z.string(),
    description: z.string(),
    warnings,
    files: z
      .array(
        z.strictObject({
          path: z.string(),
          size_bytes: z.int(),
          executable: z.boolean(),
          content_sha256: z.string().meta({ description: "SHA-256 of the file, in hexadecimal." }),
        }),
      )
      .meta({ description: "Paths relative to the directory of `SKILL.md`, sorted." }),
    size_bytes: z.int().meta({ description: "The total size of the files." }),
    created_at: timestamp,
  })
  .meta({ id: "SkillVersion" });
export type SkillVersion = z.output<typeof skillVersion>;

/** A skill of an agent, in a request. */
export const agentSkill = z.strictObject({
  type: z.literal("custom"),
  skill_id: referenceTo("skill"),
  version: z.int().min(1).nullish().meta({
    description: "Default: the version that is the newest when a session is created.",
  }),
});

const content = {
  file: z.string().optional().meta({
    format: "binary",
    description:
      "A zip archive of the skill's directory. At most 500 entries and 30 MiB unpacked; no links, no encryption.",
  }),
  "files[]": z
    .array(z.string().meta({ format: "binary" }))
    .optional()
    .meta({ description: "Instead of `file`: the files, each with its path as file name." }),
  "executable[]": z.array(z.string()).optional().meta({
    description:
      "Paths among `files[]` of files that are executable. A file that begins with `#!` always is.",
  }),
};

/** The parts of a `multipart/form-data` upload, in any order: `file` or `files[]`, with a `SKILL.md`. */
const uploadParts = z.strictObject({
  ...content,
  display_title: z.string().optional(),
  metadata: z.string().optional().meta({ description: "A JSON object of strings." }),
  visibility: visibilityInput,
});

const params = z.strictObject({ skill_id: z.string() });
const versionParams = z.strictObject({
  skill_id: z.string(),
  version: z.string().meta({ description: "The number or the id of the version." }),
});

export const skillRoutes = {
  ...crud(operations.skills, {
    kind: "skill",
    object: skill,
    params,
    create: uploadParts,
    update: z.strictObject({ display_title: skillTitle.nullish(), metadata: metadataPatch.nullish() }),
  }),
  ...sharingRoutes(operations.skills, params),
  archive: defineRoute(operations.skills.archive, { params, response: skill }),
  /** Uploads a version. The `name` in its frontmatter must be the skill's. */
  createVersion: defineRoute(operations.skills.createVersion, {
    params,
    body: z.strictObject(content),
    response: skillVersion,
  }),
  versions: defineRoute(operations.skills.versions, {
    params,
    query: listQuery("skill_version", {}),
    response: pageOf(skillVersion),
  }),
  getVersion: defineRoute(operations.skills.getVersion, {
    params: versionParams,
    response: skillVersion,
  }),
  /** Returns a file as an attachment; with `Range` a part of it. */
  content: defineRoute(operations.skills.content, {
    params: versionParams,
    query: z.strictObject({
      path: z
        .string()
        .min(1)
        .max(4_096)
        .meta({
          description: "One of the paths in the version's `files`.",
          examples: ["SKILL.md"],
        }),
    }),
    response: z.string().meta({ format: "binary" }),
  }),
  deleteVersion: defineRoute(operations.skills.deleteVersion, {
    params: versionParams,
    response: deletedObject("skill_version"),
  }),
};
