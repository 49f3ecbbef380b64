import { errors } from "@berth/store/errors";

/**
 * The body that a request announces: the whole content, the bytes from `start` (inclusive) to `end`
 * (exclusive), or a status query.
 */
export type ContentRange =
  | { type: "whole"; length: number | null }
  | { type: "part"; start: number; end: number; total: number | null }
  | { type: "query"; total: number | null };

/** Parses `content-range` and `content-length`. @throws errors.badContentRange */
export function parseContentRange(header: (name: string) => string | undefined): ContentRange {
  const length = header("content-length") === undefined ? null : Number(header("content-length"));
  const range = header("content-range");
  if (range === undefined) return { type: "whole", length };
  const [, first, last, of] = /^bytes (?:\*|(\d{1,15})-(\d{1,15}))\/(\*|\d{1,15})$/.exec(range) ?? [];
  if (of === undefined) {
    throw errors.badContentRange(
      "The 'content-range' must have the form 'bytes 0-99/1000' or 'bytes */1000'.",
    );
  }
  const total = of === "*" ? null : Number(of);
  if (first === undefined || last === undefined) {
    if (length)
      throw errors.badContentRange(
        "A request with a 'content-range' of the form 'bytes */1000' must not have a body.",
      );
    return { type: "query", total };
  }
  const part = { type: "part" as const, start: Number(first), end: Number(last) + 1, total };
  if (part.start >= part.end || (total !== null && part.end > total)) {
    throw errors.badContentRange("The 'content-range' is not a range within the content.");
  }
  if (length !== null && length !== part.end - part.start) {
    throw errors.badContentRange("The 'content-range' and the 'content-length' do not match.");
  }
  return part;
}
