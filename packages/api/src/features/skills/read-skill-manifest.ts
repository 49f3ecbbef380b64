import { firstValidationError, skillDescription, skillName, validationMessage } from "@berth/contract";
import type { ApiError } from "@berth/store/errors";
import { z } from "zod";
import { type Frontmatter, parseFrontmatter } from "./parse-frontmatter.ts";

export interface SkillManifest {
  name: string;
  description: string;
}

const MAX_FRONTMATTER = 65_536;
/** Number of lines in the file before the frontmatter. */
const ABOVE = 1;

const frontmatter = z.object({
  name: skillName,
  description: skillDescription
    .refine((description) => description.trim() !== "", { error: "Field '{field}' must not be blank." })
    .refine((description) => isPlain(description), {
      error: "Field '{field}' must not contain control characters.",
    }),
});

/** Reads the frontmatter of a `SKILL.md`, between two `---` lines at its top. Ignores other fields in it. */
export function readSkillManifest(bytes: Uint8Array, fault: (what: string) => ApiError): SkillManifest {
  const { value, lines } = parsed(frontmatterOf(bytes, fault), fault);
  const result = frontmatter.safeParse(value, { error: validationMessage });
  if (result.success) return result.data;
  const { message, param } = firstValidationError(result.error.issues, value);
  const line = lines.get(param ?? "");
  const place = line === undefined ? "in its frontmatter" : `in line ${line + ABOVE}`;
  throw fault(`has a SKILL.md with an error ${place}: ${message.replace(/\.$/, "")}`);
}

function frontmatterOf(bytes: Uint8Array, fault: (what: string) => ApiError): string {
  const text = decoded(bytes);
  if (text === null) throw fault("has a SKILL.md that is not valid UTF-8");
  const lines = text.slice(0, MAX_FRONTMATTER).split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (lines[0]?.trimEnd() !== "---" || end < 0) {
    throw fault("has a SKILL.md that does not begin with frontmatter between '---' lines");
  }
  return lines.slice(1, end).join("\n");
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parsed(text: string, fault: (what: string) => ApiError): Frontmatter {
  const given = parseFrontmatter(text);
  if (!("reason" in given)) return given;
  const { line, reason } = given;
  const place = line === null ? "frontmatter" : `line ${line + ABOVE}`;
  throw fault(`has a SKILL.md whose ${place} ${reason}`);
}

/** Rejects control characters, since the text goes into the system prompt and the database. */
function isPlain(text: string): boolean {
  return !/[^\P{Cc}\t\n\r]/u.test(text) && text.isWellFormed();
}
