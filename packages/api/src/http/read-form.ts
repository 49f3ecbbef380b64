import {
  firstValidationError,
  metadata,
  type Visibility,
  validationMessage,
  visibility,
} from "@berth/contract";
import { ApiError, errors } from "@berth/store/errors";
import type { Multipart } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { parseJson } from "./parse-json.ts";
import { disconnectWhenStalled, drain } from "./read-body.ts";

export interface FormLimits {
  /** Maximum bytes of a file. */
  fileSize: number;
  parts: number;
}

const MAX_FIELD_BYTES = 65_536;

/**
 * Calls `read` with the parts of a form as they arrive. File names keep their directories. When `read`
 * throws, the rest of the body is drained, so that the client gets the error.
 */
export async function readForm<T>(
  request: FastifyRequest,
  { fileSize, parts }: FormLimits,
  read: (parts: AsyncIterable<Multipart>) => Promise<T>,
): Promise<T> {
  const stallTimer = disconnectWhenStalled(request.raw);
  try {
    const limits = { fileSize, fieldSize: MAX_FIELD_BYTES, parts, files: parts };
    return await read(named(request.parts({ limits, preservePath: true })));
  } catch (error) {
    await drain(request.raw);
    throw formError(error, fileSize);
  } finally {
    clearInterval(stallTimer);
  }
}

/** Checks the names of parts, since the parser accepts a file without one. @throws errors.invalid */
async function* named(parts: AsyncIterable<Multipart>): AsyncGenerator<Multipart> {
  for await (const part of parts) {
    const name: unknown = part.fieldname;
    if (typeof name !== "string" || name === "") throw errors.invalid("A part of the form has no name.");
    if (part.type === "file" && typeof (part.filename as unknown) !== "string")
      throw errors.invalid(`Field '${name.slice(0, 200)}' must have a file name.`, name.slice(0, 200));
    yield part;
  }
}

/** Returns the text of a part that is not a file. @throws errors.invalid */
export function fieldText(part: Multipart): string {
  if (part.type === "field" && typeof part.value === "string") return part.value;
  throw errors.invalid(`Field '${part.fieldname}' must be text.`, part.fieldname);
}

/** Parses the metadata in a part that is JSON. @throws errors.invalid */
export function fieldMetadata(part: Multipart): Record<string, string> {
  const value = parsed(fieldText(part));
  const result = metadata.safeParse(value, { error: validationMessage });
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ ...issue, path: ["metadata", ...issue.path] }));
  throw errors.fault(firstValidationError(issues, { metadata: value }));
}

/** Returns the visibility in a part. @throws errors.invalid */
export function fieldVisibility(part: Multipart): Visibility {
  const result = visibility.safeParse(fieldText(part), { error: validationMessage });
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ ...issue, path: ["visibility"] }));
  throw errors.fault(firstValidationError(issues, {}));
}

export function unknownPart(name: string): ApiError {
  const shown = String(name).slice(0, 200);
  return errors.invalid(`Unknown field '${shown}'.`, shown);
}

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    const message = error instanceof ApiError ? error.message.replace("The body", "Field 'metadata'") : "";
    throw errors.invalid(message, "metadata");
  }
}

/** Converts an error of the form parser, which means that the client's form is invalid. */
function formError(error: unknown, limit: number): unknown {
  if (error instanceof ApiError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "FST_REQ_FILE_TOO_LARGE") return errors.bodyTooLarge(limit);
  const fromPlugin = typeof code === "string" && /^FST_/.test(code);
  const fromParser =
    typeof message === "string" &&
    /multipart|boundary|Unexpected end|Part terminated|aborted|premature/i.test(message);
  return fromPlugin || fromParser
    ? errors.invalid("The body is not a valid multipart/form-data document.")
    : error;
}
