import type { Skill, SkillVersion, Visibility } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type ApiPromise, apiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Transport } from "../transport/transport.ts";
import { appendUpload, type Upload } from "./files.ts";
import type { Methods } from "./methods.ts";
import { resource } from "./resource.ts";

/** A file of a skill. It is always executable if it begins with `#!`. */
export type SkillFile = Exclude<Upload, File> & { executable?: boolean };

/**
 * A zip archive of a skill's directory, or its files, each named by its path in the directory. Use `{name,
 * content}` for files, since a `File` may lose its path.
 */
export type SkillUpload = Upload | readonly (File | SkillFile)[];

export type Skills = Methods["skills"] & SkillUploads;

/** Returns the methods of skills. */
export function skills(transport: Transport): Skills {
  return Object.assign(new SkillUploads(transport), resource(transport, "skills"));
}

/** The methods that send the files of a skill. */
class SkillUploads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a skill with its first version. Default `timeout`: ten minutes. */
  create(
    upload: SkillUpload,
    {
      display_title,
      metadata,
      visibility,
      ...options
    }: CallOptions & {
      display_title?: string;
      metadata?: Record<string, string>;
      visibility?: Visibility | undefined;
    } = {},
  ): ApiPromise<Skill> {
    const body = formOf(upload);
    if (display_title !== undefined) body.append("display_title", display_title);
    if (metadata !== undefined) body.append("metadata", JSON.stringify(metadata));
    if (visibility !== undefined) body.append("visibility", visibility);
    const timeout = options.timeout ?? 600_000;
    const call = { operation: operations.skills.create, body, ...options, timeout };
    return apiPromise(this.#transport.json<Skill>(call));
  }

  /** Adds a version. The name in `SKILL.md` must be the skill's. Default `timeout`: ten minutes. */
  createVersion(skill_id: string, upload: SkillUpload, options: CallOptions = {}): ApiPromise<SkillVersion> {
    const call = {
      operation: operations.skills.createVersion,
      params: { skill_id },
      body: formOf(upload),
      ...options,
      timeout: options.timeout ?? 600_000,
    };
    return apiPromise(this.#transport.json<SkillVersion>(call));
  }
}

function formOf(upload: SkillUpload): FormData {
  const form = new FormData();
  if (!isList(upload)) appendUpload(form, "file", upload);
  else
    for (const file of upload) {
      appendUpload(form, "files[]", file);
      if (!(file instanceof File) && file.executable === true) form.append("executable[]", file.name);
    }
  return form;
}

function isList(upload: SkillUpload): upload is readonly (File | SkillFile)[] {
  return Array.isArray(upload);
}
