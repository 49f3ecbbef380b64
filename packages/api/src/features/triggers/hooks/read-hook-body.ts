import { errors } from "@berth/store/errors";
import { checkJsonShape } from "../../../http/check-json-shape.ts";
import type { Json } from "./hook-event.ts";

/** Maximum members and items: a push of a thousand commits has some thirty thousand. */
const MAX_VALUES = 200_000;

/**
 * Parses the body of a delivery: a JSON object, or a form with one as `payload`, as GitHub sends it by default. Text
 * is made such that it can be stored.
 *
 * @throws errors.invalid
 */
export function readHookBody(raw: Buffer, mediaType: string | null): Json {
  const bytes =
    mediaType === "application/x-www-form-urlencoded"
      ? Buffer.from(new URLSearchParams(raw.toString()).get("payload") ?? "")
      : raw;
  checkJsonShape(bytes, MAX_VALUES);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), (_name, one) =>
      typeof one === "string" ? one.replaceAll("\0", "").toWellFormed() : one,
    );
  } catch {
    throw errors.invalid("The body is not valid JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw errors.invalid("The body must be a JSON object.");
  return value as Json;
}
