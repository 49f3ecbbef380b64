import { z } from "zod";
import { idOf, timestamp } from "../../conventions/fields.ts";
import { pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** The runtimes that an environment may choose a version of, in the order of the API. */
export const RUNTIMES = [
  "node",
  "python",
  "go",
  "rust",
  "java",
  "bun",
  "deno",
  "pnpm",
  "yarn",
  "uv",
] as const;
export type RuntimeName = (typeof RUNTIMES)[number];

/** A version that a request asks for: `latest`, `stable`, `lts`, or one to three numbers. */
const asked = z
  .string()
  .max(24)
  .regex(/^(latest|stable|lts|\d{1,6}(\.\d{1,6}){0,2})$/, {
    error: "Field '{field}' must be a version, such as '22', '1.24' or '20.19.5', or 'latest'.",
  });
/** Only Node.js says which of its versions are supported for long. */
const otherAsked = asked.refine((version) => version !== "lts", {
  error: "Field '{field}' must be a version or 'latest'. Only 'node' has an 'lts'.",
});

const namedRuntimes = z.strictObject({
  node: asked.nullish(),
  python: otherAsked.nullish(),
  go: otherAsked.nullish(),
  rust: otherAsked.nullish(),
  java: otherAsked.nullish(),
  bun: otherAsked.nullish(),
  deno: otherAsked.nullish(),
  pnpm: otherAsked.nullish(),
  yarn: otherAsked.nullish(),
  uv: otherAsked.nullish(),
});

/** Versions by name, or `auto` for those that a session's repositories ask for. */
export const runtimes = z.union([z.literal("auto"), namedRuntimes]);

const namedAsked = z.partialRecord(z.enum(RUNTIMES), z.string());
/** The versions that an environment asks for by name. */
export type AskedRuntimes = z.output<typeof namedAsked>;

/** What an environment asks for, as stored. */
export const askedRuntimes = z.union([z.literal("auto"), namedAsked]);

export const resolvedRuntime = z.strictObject({
  runtime: z.enum(RUNTIMES),
  requested: z.string(),
  version: z.string(),
  source: z.string().meta({ description: "Where it comes from: `npm`, `debian`, `url` or `base`." }),
});
export type ResolvedRuntime = z.output<typeof resolvedRuntime>;

const chosenFrom = {
  resource_id: idOf("session_resource").meta({ description: "The repository." }),
  file: z.string().meta({ description: "Path below the repository's directory." }),
};
const chosenFromLine = {
  asked: z.string().meta({ description: "The version as the file has it." }),
  ...chosenFrom,
  line: z.int().min(1),
};

/** What a session chose from files of its repositories, in the session and in its log. */
export const runtimeChoice = {
  runtimes: z
    .array(z.strictObject({ runtime: z.enum(RUNTIMES), version: z.string(), ...chosenFromLine }))
    .meta({ description: "The versions that the session has, with the line that asks for each." }),
  missing: z
    .array(
      z.strictObject({
        runtime: z.enum(RUNTIMES),
        ...chosenFromLine,
        available: z.array(z.string()).meta({
          description: "Versions that this installation can have instead, at most six, oldest first.",
        }),
      }),
    )
    .meta({
      description:
        "What a file asks for and this installation cannot have. The session has no other version in its place: the runtime's programs say so and end with 127.",
    }),
  ignored: z
    .array(z.strictObject({ ...chosenFrom, line: z.int().min(1).nullable(), reason: z.string() }))
    .meta({
      description:
        "Lines that were not followed, with the reason as a clause, at most 30: versions that contradict the chosen one, tools that Berth does not have, and files that could not be read, whose `line` is null.",
    }),
};

export const chosenRuntimes = z.strictObject(runtimeChoice).meta({ id: "ChosenRuntimes" });
export type ChosenRuntimes = z.output<typeof chosenRuntimes>;

/** What a session follows of a repository's `devcontainer.json`, in the session and in its log. */
export const devcontainerReading = {
  resource_id: idOf("session_resource").meta({ description: "The repository." }),
  file: z.string().nullable().meta({
    description: "Path below the repository's directory. Null if the repository has no such file.",
  }),
  error: z.string().nullable().meta({
    description: "Why nothing of it is followed, as a clause. Null if something may be.",
  }),
  honoured: z.array(z.string()).meta({ description: "Properties that are followed, at least in part." }),
  not_honoured: z.array(z.strictObject({ property: z.string(), reason: z.string() })).meta({
    description: "Properties, or parts of them, that are not, with the reason as a clause; at most 50.",
  }),
  image: z.string().nullable().meta({
    description:
      "Image of the session's sandboxes, from `image`. Null if the file names none, or if it is not followed.",
  }),
  environment_variable_names: z.array(z.string()).meta({
    description:
      "Names of the variables of `containerEnv` and `remoteEnv` that commands have. Those of the environment and the session take precedence. The values are not shown, since a file may hold a secret by mistake.",
  }),
  forward_ports: z.array(z.int()).meta({ description: "Ports of `forwardPorts`." }),
};

export const devcontainer = z.strictObject(devcontainerReading).meta({ id: "Devcontainer" });
export type Devcontainer = z.output<typeof devcontainer>;

export const runtime = z
  .strictObject({
    id: z.enum(RUNTIMES).meta({ description: "The field of an environment's `runtimes`." }),
    type: z.literal("runtime"),
    versions: z
      .array(
        z.strictObject({
          version: z.string(),
          source: z.string().meta({ description: "Where it comes from: `npm`, `debian`, `url` or `base`." }),
          default: z.boolean().meta({ description: "The version of `latest` and `stable`." }),
        }),
      )
      .meta({ description: "The versions that this installation can have, newest first." }),
    listed_at: timestamp.nullable().meta({
      description:
        "When the sources were last asked, which happens once a day. Null if they have not answered yet; then `versions` is empty.",
    }),
  })
  .meta({ id: "Runtime" });
export type Runtime = z.output<typeof runtime>;

export const runtimeRoutes = {
  /** Lists the runtimes in the order of `RUNTIMES`. */
  list: defineRoute(operations.runtimes.list, {
    query: z.strictObject(pageQuery),
    response: pageOf(runtime),
  }),
};
