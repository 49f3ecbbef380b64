import { firstValidationError, skillDescription, skillName, validationMessage } from "@berth/contract";
import { z } from "zod";
import type { ApiError } from "../../errors/api-error.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";

export interface SkillManifest {
  name: string;
  description: string;
}

const MAX_FRONTMATTER = 65_536;

const frontmatter = z.object({
  name: skillName,
  description: skillDescription
    .refine((description) => description.trim() !== "", { error: "Field '{field}' must not be blank." })
    .refine((description) => isPlain(description), {
      error: "Field '{field}' must not contain control characters.",
    }),
});

/** Reads the frontmatter of a `SKILL.md`, which is between two `---` lines at its top. Other fields in it are ignored. */
export function readSkillManifest(bytes: Uint8Array, fault: (what: string) => ApiError): SkillManifest {
  const given = parsed(frontmatterOf(bytes, fault), fault);
  const result = frontmatter.safeParse(given, { error: validationMessage });
  if (result.success) return result.data;
  const { message } = firstValidationError(result.error.issues, given);
  throw fault(`has a SKILL.md with a fault in its frontmatter: ${message.replace(/\.$/, "")}`);
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

function parsed(text: string, fault: (what: string) => ApiError): unknown {
  const given = parseFrontmatter(text);
  if (given === null) throw fault("has a SKILL.md whose frontmatter is not valid YAML");
  return given.value;
}

/** The text goes into the system prompt and the database. */
function isPlain(text: string): boolean {
  return !/[^\P{Cc}\t\n\r]/u.test(text) && text.isWellFormed();
}
