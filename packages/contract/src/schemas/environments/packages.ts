import { z } from "zod";

/** Maximum packages per package manager. */
const MAX_PACKAGES = 100;

/**
 * Returns a schema for a list of package names with optional versions. The forms exclude options, URLs and
 * paths, which package managers would accept.
 */
function names(form: RegExp, like: string) {
  const name = z
    .string()
    .max(200)
    .regex(form, { error: `Field '{field}' must be the name of a package, such as ${like}.` });
  return z.array(name).max(MAX_PACKAGES);
}

/** A package name of apt. It cannot end in `-`, with which apt removes a package. */
const apt = names(/^[a-z0-9][a-z0-9+.-]*[a-z0-9+](=[0-9A-Za-z][0-9A-Za-z.+:~-]*)?$/, "'jq' or 'jq=1.6-2.1'");
const npm = names(
  /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(@[0-9A-Za-z][0-9A-Za-z.+-]*)?$/,
  "'typescript', '@scope/name' or 'typescript@5.4.2'",
);
const pip = names(
  /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\[[A-Za-z0-9._-]+(,[A-Za-z0-9._-]+)*\])?(==[0-9A-Za-z][0-9A-Za-z.+!_-]*)?$/,
  "'requests', 'uvicorn[standard]' or 'requests==2.32.3'",
);

export const packages = z.strictObject({
  apt: apt.nullish(),
  npm: npm.nullish(),
  pip: pip.nullish(),
});
export type Packages = { apt: string[]; npm: string[]; pip: string[] };

export const installedPackages = z.strictObject({
  apt: z.array(z.string()),
  npm: z.array(z.string()),
  pip: z.array(z.string()),
});

/** A shell script of at most 64 KiB of UTF-8. */
export const setupScript = z
  .string()
  .refine((script) => !script.includes("\0"), "Field '{field}' must not contain a NUL character.")
  .refine(
    (script) => new TextEncoder().encode(script).length <= 65_536,
    "Field '{field}' must be at most 65,536 bytes.",
  );
