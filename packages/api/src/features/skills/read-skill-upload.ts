import { skillTitle, type Visibility } from "@berth/contract";
import type { BlobStore, StagedBlob } from "@berth/store/blobs";
import { type ApiError, errors } from "@berth/store/errors";
import { isIgnored, MAX_ENTRIES, type PackedSkill, packSkill, type UploadedFile } from "@berth/store/skills";
import type { Multipart } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { fieldMetadata, fieldText, fieldVisibility, readForm, unknownPart } from "../../http/read-form.ts";
import type { SkillManifest } from "./read-skill-manifest.ts";
import { unzip } from "./unzip.ts";

export interface SkillUpload extends SkillManifest, Pick<PackedSkill, "content" | "files"> {
  displayTitle: string | null;
  metadata: Record<string, string>;
  /** Undefined for the default of the organization. */
  visibility: Visibility | undefined;
}

/** Maximum bytes of a zip archive, or of one file. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

interface Form {
  zip?: StagedBlob;
  files: number;
  /** Paths in the `executable[]` fields. */
  executable: Set<string>;
  metadata?: Record<string, string>;
  display_title?: string;
  visibility?: Visibility;
}

/** Fields that only the form of a new skill has. */
type Field = "display_title" | "metadata" | "visibility";

/**
 * Reads a form with a skill, as one zip archive in `file` or as `files[]`. Deletes the received bytes when it
 * throws.
 *
 * @param fields further fields that the form may have.
 */
export async function readSkillUpload(
  request: FastifyRequest,
  blobs: BlobStore,
  fields: readonly Field[],
): Promise<SkillUpload> {
  const limits = { fileSize: MAX_FILE_BYTES, parts: 2 * MAX_ENTRIES + 100 };
  return await readForm(request, limits, async (parts) => {
    const form: Form = { files: 0, executable: new Set() };
    try {
      const uploaded = filesOf(parts, blobs, fields, form);
      const { content, files, manifest } = await packed(blobs, form, uploaded);
      const { display_title: displayTitle = null, metadata = {}, visibility } = form;
      return {
        content,
        files,
        ...(await described(content, manifest, faultOf(form))),
        displayTitle,
        metadata,
        visibility,
      };
    } finally {
      await form.zip?.discard();
    }
  });
}

/** Reads the whole form, and then the archive if there is one. */
async function packed(
  blobs: BlobStore,
  form: Form,
  files: AsyncGenerator<UploadedFile>,
): Promise<PackedSkill> {
  const first = await files.next();
  if (form.zip !== undefined) {
    const { path, release } = await form.zip.local();
    return await packSkill(blobs, unzip(path, faultOf(form)), faultOf(form)).finally(release);
  }
  if (first.done === true) throw errors.invalid("Field 'file' is required.", "file");
  return await packSkill(blobs, startingWith(first.value, files), faultOf(form), form.executable);
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

async function described(
  content: StagedBlob,
  manifest: Uint8Array,
  fault: (what: string) => ApiError,
): Promise<SkillManifest> {
  try {
    const { readSkillManifest } = await import("./read-skill-manifest.ts");
    return readSkillManifest(manifest, fault);
  } catch (error) {
    await content.discard();
    throw error;
  }
}

/** Yields the files of `files[]` as they arrive. Stores everything else in `form`. */
async function* filesOf(
  parts: AsyncIterable<Multipart>,
  blobs: BlobStore,
  fields: readonly string[],
  form: Form,
): AsyncGenerator<UploadedFile> {
  for await (const part of parts) {
    const { fieldname: name } = part;
    if (name === "file" || name === "files[]") {
      const file = await readFile(part, blobs, form);
      if (file !== null) yield file;
    } else if (name === "executable[]") form.executable.add(fieldText(part));
    else if (fields.includes(name)) readField(part, form);
    else throw unknownPart(name);
  }
}

/** Returns the file of a `files[]` part; null for a stored archive, and for ignored files. */
async function readFile(part: Multipart, blobs: BlobStore, form: Form): Promise<UploadedFile | null> {
  const { fieldname: name } = part;
  if (part.type !== "file") throw errors.invalid(`Field '${name}' must be a file.`, name);
  if (name === "file" ? form.files > 0 : form.zip !== undefined) {
    throw errors.invalid("Only one of 'file' and 'files[]' may be given.", name);
  }
  if (name === "files[]") {
    form.files += 1;
    if (!isIgnored(part.filename)) return { path: part.filename, executable: false, content: part.file };
    part.file.resume();
    return null;
  }
  if (form.zip !== undefined) throw errors.invalid("Field 'file' must be given once.", name);
  form.zip = await blobs.stage(part.file);
  if (part.file.truncated) throw errors.bodyTooLarge(MAX_FILE_BYTES);
  return null;
}

function readField(part: Multipart, form: Form): void {
  const name = part.fieldname as Field;
  if (form[name] !== undefined) throw errors.invalid(`Field '${name}' must be given once.`, name);
  if (name === "metadata") form.metadata = fieldMetadata(part);
  else if (name === "visibility") form.visibility = fieldVisibility(part);
  else form.display_title = titleOf(fieldText(part));
}

function titleOf(text: string): string {
  if (skillTitle.safeParse(text).success) return text;
  throw errors.invalid("Field 'display_title' must have 1 to 256 characters.", "display_title");
}

function faultOf(form: Form): (what: string) => ApiError {
  const name = form.zip === undefined ? "files[]" : "file";
  return (what) => errors.invalid(`Field '${name}' ${what}.`, name);
}
