import { firstValidationError, metadata, validationMessage } from "@berth/contract";
import type { Multipart } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { ApiError } from "./api-error.ts";
import { errors } from "./errors.ts";
import { parseJson } from "./parse-json.ts";
import { cutOffWhenStalled, drain } from "./read-body.ts";

export interface FormLimits {
  /** Bytes of a file. */
  fileSize: number;
  parts: number;
}

const MAX_FIELD_BYTES = 65_536;

/**
 * Lets `take` go through the parts of a form as they come, names of files with their directories. When it throws, the
 * rest of the body is read away and the refusal is told.
 */
export async function readForm<T>(
  request: FastifyRequest,
  { fileSize, parts }: FormLimits,
  take: (parts: AsyncIterable<Multipart>) => Promise<T>,
): Promise<T> {
  const watching = cutOffWhenStalled(request.raw);
  try {
    const limits = { fileSize, fieldSize: MAX_FIELD_BYTES, parts, files: parts };
    return await take(request.parts({ limits, preservePath: true }));
  } catch (error) {
    await drain(request.raw);
    throw refusal(error, fileSize);
  } finally {
    clearInterval(watching);
  }
}

/** The text of a part that is no file. @throws errors.invalid */
export function fieldText(part: Multipart): string {
  if (part.type === "field" && typeof part.value === "string") return part.value;
  throw errors.invalid(`Field '${part.fieldname}' must be text.`, part.fieldname);
}

/** Metadata in a part of its own, as JSON. @throws errors.invalid */
export function fieldMetadata(part: Multipart): Record<string, string> {
  const value = parsed(fieldText(part));
  const result = metadata.safeParse(value, { error: validationMessage });
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ ...issue, path: ["metadata", ...issue.path] }));
  throw errors.fault(firstValidationError(issues, { metadata: value }));
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

/** What the parser of forms throws speaks of the form, and is the sender's to mend. */
function refusal(error: unknown, limit: number): unknown {
  if (error instanceof ApiError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "FST_REQ_FILE_TOO_LARGE") return errors.bodyTooLarge(limit);
  const ofForm = typeof code === "string" && /^FST_/.test(code);
  const ofParser =
    typeof message === "string" &&
    /multipart|boundary|Unexpected end|Part terminated|aborted|premature/i.test(message);
  return ofForm || ofParser ? errors.invalid("The body is not a valid multipart/form-data document.") : error;
}
