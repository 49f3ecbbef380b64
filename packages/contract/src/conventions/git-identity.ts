import { z } from "zod";
import { text } from "./fields.ts";

const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f<>]*$/u;
const WELL_FORMED = { error: "Field '{field}' must be well-formed Unicode." };

/** git strips these characters from both ends of a name, and rejects a name that has no others. */
const HAS_CONTENT = /[^\s.,:;"\\']/;

const name = text(1, 256)
  .regex(NO_CONTROLS, { error: "Field '{field}' must not contain control characters, '<' or '>'." })
  .regex(HAS_CONTENT, { error: "Field '{field}' must be a name." })
  .refine((value) => value.isWellFormed(), WELL_FORMED);

const email = text(3, 254)
  .regex(/^[^\s\u0000-\u001f\u007f-\u009f<>"\\]+@[^\s\u0000-\u001f\u007f-\u009f<>"\\@]+$/u, {
    error: "Field '{field}' must be an e-mail address.",
  })
  .refine((value) => value.isWellFormed(), WELL_FORMED);

const person = z.strictObject({ name, email });
type GitPerson = z.output<typeof person>;

export function isGitPerson(value: unknown): value is GitPerson {
  return person.safeParse(value).success;
}

const CO_AUTHOR = "Added as a `Co-authored-by` line to the message of each commit made with `git commit`.";

const sessionOwner = z.enum(["author", "co_author"]);
const SESSION_OWNER =
  "How commits name the user who owns the session, by the name before the `@` of the e-mail address: `co_author` adds a `Co-authored-by` line; `author` makes the user the author, with the agent as committer and co-author. A session of a service account names nobody.";

/** The identity in a request: `name` and `email` together, or others of its fields without them. */
export const gitIdentityInput = z
  .strictObject({
    name: name.nullish(),
    email: email.nullish(),
    co_authored_by: person.nullish().meta({ description: CO_AUTHOR }),
    session_owner: sessionOwner.nullish().meta({ description: SESSION_OWNER }),
  })
  .superRefine((given, context) => {
    const reject = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (given.name != null && given.email == null)
      reject("email", "Field '{field}' is required with a name.");
    if (given.email != null && given.name == null)
      reject("name", "Field '{field}' is required with an e-mail address.");
    if (Object.values(given).every((value) => value == null))
      reject("name", "Field '{field}' is required, unless there is a co-author or 'session_owner'.");
  })
  .meta({
    description:
      "Author and committer of the agent's commits. A session's values take precedence over its environment's, and the environment's over the agent's; co-author and `session_owner` are looked up separately. Without a name, the account of the first hosted repository's token is used, if GitHub or GitHub Enterprise returns it, with the address `ID+LOGIN@users.noreply.HOST`; otherwise `Berth agent <agent@berth.invalid>`. Commands may set another identity. A change applies when a sandbox is next opened.",
    examples: [{ name: "Ann's agent", email: "ann+agent@example.com" }],
  });

export const gitIdentity = z.strictObject({
  name: z.string().nullable(),
  email: z.string().nullable(),
  co_authored_by: z.strictObject({ name: z.string(), email: z.string() }).nullable(),
  session_owner: sessionOwner.optional().meta({ description: "Absent if commits do not name the owner." }),
});
export type GitIdentity = z.output<typeof gitIdentity>;

type Given = z.output<typeof gitIdentityInput>;

/** Returns the identity with every field, null for a field that is not given. */
export function completeGitIdentity(given: Given): GitIdentity;
export function completeGitIdentity(given: Given | null): GitIdentity | null;
export function completeGitIdentity(given: Given | null): GitIdentity | null {
  if (given === null) return null;
  return {
    name: given.name ?? null,
    email: given.email ?? null,
    co_authored_by: given.co_authored_by ?? null,
    ...(given.session_owner == null ? {} : { session_owner: given.session_owner }),
  };
}
