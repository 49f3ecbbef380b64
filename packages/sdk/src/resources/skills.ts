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

/** A file of a skill. One that begins with `#!` is executable in any case. */
export type SkillFile = Exclude<Upload, File> & { executable?: boolean };

/**
 * A zip archive of a skill's directory, or its files, each with its path in the directory as name. Use `{name, content}`
 * for those, since a `File` may lose its path.
 */
export type SkillUpload = Upload | readonly (File | SkillFile)[];

export class Skills extends Resource {
  /** Default `timeout`: ten minutes. */
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

  /** Fails with 409 while an agent that is not archived or a session that is not terminated uses the skill. */
  delete(skill_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: skills.delete, params: { skill_id }, ...options });
  }

  /** Cannot be undone. Agents and sessions that have the skill keep it; it cannot be added to other agents. */
  archive(skill_id: string, options?: CallOptions): ApiPromise<Skill> {
    return this.request({ operation: skills.archive, params: { skill_id }, ...options });
  }

  /** The name in `SKILL.md` must be the skill's. Default `timeout`: ten minutes. */
  createVersion(skill_id: string, upload: SkillUpload, options: CallOptions = {}): ApiPromise<SkillVersion> {
    return this.request({
      operation: skills.createVersion,
      params: { skill_id },
      body: formOf(upload),
      ...options,
      timeout: options.timeout ?? 600_000,
    });
  }

  /** Newest first. */
  versions(
    skill_id: string,
    query?: Query<Routes["versions"]>,
    options?: CallOptions,
  ): PagedList<SkillVersion> {
    return this.pages({ operation: skills.versions, params: { skill_id }, query, ...options });
  }

  /** `version` is the version's number or id. */
  getVersion(skill_id: string, version: number | string, options?: CallOptions): ApiPromise<SkillVersion> {
    const params = { skill_id, version: String(version) };
    return this.request({ operation: skills.getVersion, params, ...options });
  }

  /** The content of one of the version's files as a `Response`: read its `body`, `bytes()`, `text()` or `blob()`. */
  content(
    skill_id: string,
    version: number | string,
    query: Query<Routes["content"]>,
    options?: CallOptions,
  ): Promise<Response> {
    const params = { skill_id, version: String(version) };
    return this.transport.open({ operation: skills.content, params, query, ...options }, "*/*");
  }

  /** Fails with 409 for the only version, and for one that an agent or a session uses. */
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
