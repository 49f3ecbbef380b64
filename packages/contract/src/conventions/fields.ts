import { z } from "zod";
import { ID_PREFIXES, type IdKind } from "./ids.ts";

export const timestamp = z.iso.datetime().meta({ description: "ISO 8601, UTC, with milliseconds." });

/** Returns a schema for ids of a kind, which checks their whole form. */
export function idOf(kind: IdKind): z.ZodString {
  return z.string().regex(new RegExp(`^${ID_PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`), {
    error: `Field '{field}' must be the id of ${article(kind)}.`,
  });
}

/** The id of the owner of sessions and of the objects that they use. */
export const idOfOwner = z
  .string()
  .regex(new RegExp(`^(${ID_PREFIXES.user}|${ID_PREFIXES.organization})_[0-7][0-9a-hjkmnp-tv-z]{25}$`), {
    error: "Field '{field}' must be the id of a user or of an organization.",
  });

/**
 * Returns a schema for the id of an existing object in a request body. Only the prefix is checked: a
 * malformed id is reported like one that does not exist, as in a path.
 */
export function referenceTo(kind: IdKind): z.ZodString {
  return z
    .string()
    .max(256)
    .regex(new RegExp(`^${ID_PREFIXES[kind]}_`), {
      error: `Field '{field}' must be the id of ${article(kind)}.`,
    });
}

/** Returns a schema for text of `minimum` to `maximum` characters (UTF-16 code units). */
export function text(minimum: number, maximum: number): z.ZodString {
  return z.string().min(minimum).max(maximum);
}

/** Metadata of up to 16 pairs; keys of up to 64 characters, values of up to 512. */
export const metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, "Field '{field}' must have at most 16 pairs.");

/** A change of metadata: a value sets a pair, null removes one, and null for the object removes all. */
export const metadataPatch = z
  .record(z.string().min(1).max(64), z.string().max(512).nullable())
  .refine((pairs) => Object.keys(pairs).length <= 32, "Field '{field}' must have at most 32 pairs.")
  .meta({ description: "Pairs to set; null removes a pair. At most 16 pairs may remain." });

/** Returns a schema for the response to a deletion. */
export function deletedObject<Kind extends IdKind>(kind: Kind) {
  return z.strictObject({ id: idOf(kind), type: z.literal(`${kind}_deleted` as const) });
}

const VARIABLE_FORM = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names of variables that Berth or the shell sets. */
const RESERVED_VARIABLES =
  /^(BERTH_|LD_|PATH$|HOME$|GH_TOKEN$|GH_ENTERPRISE_TOKEN$|GH_HOST$|GIT_|(PWD|OLDPWD|IFS|UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASHPID|BASH_VERSINFO|DIRSTACK|GROUPS|FUNCNAME|_)$)/;

/** The name of a variable that a client may set. */
export const variableName = text(1, 256)
  .regex(VARIABLE_FORM, { error: "Field '{field}' must be a variable name." })
  .refine((name) => !RESERVED_VARIABLES.test(name), { error: "Field '{field}' is a reserved variable." });

/** Environment variables of every command in a session. Names that Berth or the shell sets are reserved. */
export const environmentVariables = z
  .record(z.string(), z.string().max(32_768))
  .superRefine((variables, context) => {
    if (Object.keys(variables).length > 100) {
      context.addIssue({ code: "custom", message: "Field '{field}' must have at most 100 variables." });
      return;
    }
    for (const [name, value] of Object.entries(variables)) {
      if (!VARIABLE_FORM.test(name)) {
        context.addIssue({
          code: "custom",
          path: [name],
          message: `'${name.slice(0, 100)}' is not a variable name.`,
        });
      } else if (RESERVED_VARIABLES.test(name)) {
        context.addIssue({
          code: "custom",
          path: [name],
          message: `Variable '${name.slice(0, 100)}' is reserved.`,
        });
      } else if (value.includes("\0")) {
        context.addIssue({
          code: "custom",
          path: [name],
          message: "Field '{field}' must not contain a NUL character.",
        });
      }
    }
  })
  .meta({
    description:
      "Environment variables of every command in the session. Names that Berth or the shell sets itself are reserved.",
  });

/** The fields that identify an object's owner. */
export const owner = {
  owner_type: z.enum(["user", "organization"]),
  owner_id: z.string(),
};

/**
 * Creates a `discriminatedUnion` with its own errors. Kinds in `later` are reported as not yet available,
 * kinds in `rejected` with the sentence given there, and any other with the list of valid kinds.
 */
export function taggedUnion<
  Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(
  discriminator: string,
  options: Options,
  later: readonly string[] = [],
  rejected: Readonly<Record<string, string>> = {},
) {
  return z.discriminatedUnion(discriminator, options, {
    error: (issue) => {
      if (issue.code !== "invalid_union") return undefined;
      const value = (issue.input as Record<string, unknown> | undefined)?.[discriminator];
      if (value === undefined) return "Field '{field}' is required.";
      if (typeof value === "string" && later.includes(value)) {
        return `Field '{field}': '${value}' is not available in this version of Berth.`;
      }
      return typeof value === "string" && Object.hasOwn(rejected, value) ? rejected[value] : undefined;
    },
  });
}

function article(kind: IdKind): string {
  return `${/^[aeo]/.test(kind) ? "an" : "a"} ${kind.replaceAll("_", " ")}`;
}

/**
 * Returns what is wrong with an absolute path, as a sentence about `{field}`, or null. A valid path has at
 * most 1,024 bytes, no empty, `.` or `..` segment, no segment longer than a file name can be, and no control
 * characters.
 */
export function absolutePathError(path: string): string | null {
  if (!path.startsWith("/")) return "Field '{field}' must be an absolute path.";
  if (Buffer.byteLength(path) > 1024) return "Field '{field}' must be at most 1024 bytes long.";
  // A lone surrogate cannot be encoded in a file name.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path) || !path.isWellFormed())
    return "Field '{field}' must not contain control characters.";
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    return "Field '{field}' must not have empty, '.' or '..' segments.";
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > 255)) {
    return "Field '{field}' must not have a segment longer than 255 bytes.";
  }
  return null;
}
