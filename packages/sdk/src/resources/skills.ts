import type { ResponseOf, routes, Skill, SkillVersion } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { appendUpload, type Upload } from "./files.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.skills;
const { skills } = operations;

/** A file of a skill. It is always executable if it begins with `#!`. */
export type SkillFile = Exclude<Upload, File> & { executable?: boolean };

/**
 * A zip archive of a skill's directory, or its files, each named by its path in the directory. Use `{name,
 * content}` for files, since a `File` may lose its path.
 */
export type SkillUpload = Upload | readonly (File | SkillFile)[];

export class Skills extends Resource {
  /** Creates a skill with its first version. Default `timeout`: ten minutes. */
  create(
    upload: SkillUpload,
    {
      display_title,
      metadata,
      ...options
    }: CallOptions & { display_title?: string; metadata?: Record<string, string> } = {},
  ): ApiPromise<Skill> {
    const body = formOf(upload);
    if (display_title !== undefined) body.append("display_title", display_title);
    if (metadata !== undefined) body.append("metadata", JSON.stringify(metadata));
    const timeout = options.timeout ?? 600_000;
    return this.request({ operation: skills.create, body, ...options, timeout });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Skill> {
    return this.pages({ operation: skills.list, query, ...options });
  }

  get(skill_id: string, options?: CallOptions): ApiPromise<Skill> {
    return this.request({ operation: skills.get, params: { skill_id }, ...options });
  }

  update(skill_id: string, body: Body<Routes["update"]>, options?: CallOptions): ApiPromise<Skill> {
    return this.request({ operation: skills.update, params: { skill_id }, body, ...options });
  }

  /**
   * Deletes a skill. Fails with 409 while an agent that is not archived uses it, or a session that is neither
   * terminated nor archived.
   */
  delete(skill_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: skills.delete, params: { skill_id }, ...options });
  }

  /** Archives a skill. Cannot be undone. Agents and sessions keep it; it cannot be added to others. */
  archive(skill_id: string, options?: CallOptions): ApiPromise<Skill> {
    return this.request({ operation: skills.archive, params: { skill_id }, ...options });
  }

  /** Adds a version. The name in `SKILL.md` must be the skill's. Default `timeout`: ten minutes. */
  createVersion(skill_id: string, upload: SkillUpload, options: CallOptions = {}): ApiPromise<SkillVersion> {
    return this.request({
      operation: skills.createVersion,
      params: { skill_id },
      body: formOf(upload),
      ...options,
      timeout: options.timeout ?? 600_000,
    });
  }

  /** Lists versions, newest first. */
  versions(
    skill_id: string,
    query?: Query<Routes["versions"]>,
    options?: CallOptions,
  ): PagedList<SkillVersion> {
    return this.pages({ operation: skills.versions, params: { skill_id }, query, ...options });
  }

  /** Returns a version. `version` is its number or id. */
  getVersion(skill_id: string, version: number | string, options?: CallOptions): ApiPromise<SkillVersion> {
    const params = { skill_id, version: String(version) };
    return this.request({ operation: skills.getVersion, params, ...options });
  }

  /** Returns the content of a version's file as a `Response`: read its `body`, `bytes()` or `text()`. */
  content(
    skill_id: string,
    version: number | string,
    query: Query<Routes["content"]>,
    options?: CallOptions,
  ): Promise<Response> {
    const params = { skill_id, version: String(version) };
    return this.transport.open({ operation: skills.content, params, query, ...options }, "*/*");
  }

  /** Deletes a version. Fails with 409 for the only version, and for one that an agent or a session uses. */
  deleteVersion(
    skill_id: string,
    version: number | string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["deleteVersion"]>> {
    const params = { skill_id, version: String(version) };
    return this.request({ operation: skills.deleteVersion, params, ...options });
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
