import { z } from "zod";
import {
  deletedObject,
  environmentVariables,
  idOf,
  metadata,
  metadataPatch,
  owner,
  taggedUnion,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { packages, packagesAnswer, setupScript } from "./packages.ts";

/**
 * A host that sessions may reach: a name, a name with a port, or `*.` and a name for all below it.
 * Addresses are not hosts: what is not named is not reached.
 */
export const allowedHost = z
  .string()
  .max(260)
  .regex(
    /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(:[1-9][0-9]{0,4})?$/i,
    {
      error:
        "Field '{field}' must be a host name, such as 'api.example.com', '*.example.com' or 'git.example.com:8443'.",
    },
  )
  .refine((host) => /[a-z]/i.test(host.replace(/:.*$/, "").split(".").at(-1) ?? ""), {
    error: "Field '{field}' must be a host name, not an address.",
  })
  .refine((host) => Number(host.split(":")[1] ?? 1) <= 65_535, {
    error: "Field '{field}' has a port above 65535.",
  });

const networking = taggedUnion("type", [
  z.strictObject({ type: z.literal("unrestricted") }),
  z.strictObject({
    type: z.literal("limited"),
    allowed_hosts: z.array(allowedHost).max(256).nullish().meta({
      description:
        "Hosts that may be reached besides those of the session's repositories: a name, at 80 and 443; a name with a port, such as `git.example.com:8443`; or `*.example.com`, every name below it. Default none.",
    }),
    allow_package_managers: z.boolean().nullish().meta({
      description:
        "Whether the public registries of package managers may be reached though `allowed_hosts` does not name them: apt, npm, pip, cargo, go, gem and maven. Default false.",
    }),
    allow_mcp_servers: z.boolean().nullish().meta({
      description:
        "Whether the agent's MCP servers may be called though `allowed_hosts` does not name their hosts. Default false.",
    }),
  }),
]);

const cloudConfig = z.strictObject({
  type: z.literal("cloud"),
  networking: networking.nullish().meta({
    description:
      "What commands may reach. `limited`, the default: the hosts of the session's repositories, and what its fields add. `unrestricted`: every public host, at 80 and 443. What is refused is a `session.egress_denied` of the log.",
  }),
  packages: packages.nullish().meta({
    description:
      "Packages that every session has: of Debian by apt, of the registries by npm (globally) and pip, installed in this order. They are installed once and shared by the environments of the organization that name the same; the first session waits for it. When that fails, a `session.error` of type `environment_error` has the end of what the manager wrote, the session goes on without, and it is tried again when its sandbox opens next. A list that is left out stays as it is; null is none.",
  }),
  setup_script: setupScript.nullish().meta({
    description:
      "A script that `/bin/sh` runs once as root, after the packages, with the environment's networking and variables and no secrets of a session. What it changes in /usr, /etc, /opt, /var and /home/agent is what every session begins with. Run again when it, the packages, the networking or the variables change. Null or empty is none. When it fails, as with packages.",
  }),
});

const resourceLimits = z.strictObject({
  cpus: z.number().min(0.1).max(256).nullish().meta({ description: "Processor cores. Default 2." }),
  memory_mb: z.int().min(64).max(1_048_576).nullish().meta({
    description:
      "MiB of memory, with what lies in /tmp and /dev/shm. Beyond, a process is killed and the agent is told. Default 4,096.",
  }),
  pids: z.int().min(16).max(1_000_000).nullish().meta({
    description: "Processes and threads. Beyond, none is started and the agent is told. Default 512.",
  }),
  disk_mb: z.int().min(64).max(1_048_576).nullish().meta({
    description:
      "MiB that the files of a session may take together, with one file for every 4 KiB: clones of repositories, whatever its commands write, outputs. Beyond, writing fails with 'No space left on device'. Uploaded files below /mnt/session/uploads, read-only memory stores and /tmp, which is in memory, do not count. Default what the operator set (BERTH_SESSION_DISK_MB, 10,240 unless changed) on a machine that can enforce it, else none; null stands for this default. It holds for sessions that get their disk after it was set; a greater one makes such a disk larger when its sandbox opens next, a smaller one leaves it as it is. On a machine that cannot enforce it, a session whose environment sets it has a sandbox_error in its log, and its commands fail.",
  }),
});
const variablesDescription =
  "Variables of every command of its sessions, which can read them. Those of a session, a vault and a repository hold over them.";
const limitsDescription = "Limits of each session's sandbox.";

const credentials = z.enum(["inject", "proxy"]);

const credentialsDescription =
  "Where the tokens and passwords of a session's repositories are. `inject`, the default: in its container, in the variables that git and the provider's command line read. `proxy`: outside; the container has placeholders, and the real ones are put in on the way to the repository and its provider's API. Sessions follow a change with their next command; what a container had before may have been kept in it.";
const imageDescription =
  "Image that the sandboxes run, where the installation's engine runs images and has this one; 400 where it runs none. A session whose image is missing has a sandbox_error in its log, and its commands fail. Default: the installation's own.";
/** As container engines write it: a name, with a registry, a tag or a digest where it has them. */
const image = z
  .string()
  .max(255)
  .regex(
    /^[a-z0-9][a-z0-9._-]*(:[0-9]{1,5})?(\/[a-z0-9][a-z0-9._-]*)*(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/,
    {
      error: "Field '{field}' must be the name of an image, such as 'debian:bookworm'.",
    },
  );

export const environment = z
  .strictObject({
    id: idOf("environment"),
    type: z.literal("environment"),
    name: z.string(),
    description: z.string().nullable(),
    config: z.strictObject({
      type: z.literal("cloud"),
      networking: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("unrestricted") }),
        z.strictObject({
          type: z.literal("limited"),
          allowed_hosts: z.array(z.string()),
          allow_package_managers: z.boolean(),
          allow_mcp_servers: z.boolean(),
        }),
      ]),
      packages: packagesAnswer,
      setup_script: z.string().nullable(),
    }),
    environment_variables: z.record(z.string(), z.string()),
    credentials,
    image: z.string().nullable().meta({
      description: "Image that the sandboxes run. Null: the installation's own.",
    }),
    resources: z.strictObject({
      cpus: z.number(),
      memory_mb: z.int(),
      pids: z.int(),
      disk_mb: z.int().nullable(),
    }),
    metadata,
    ...owner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Environment" });
export type Environment = z.output<typeof environment>;

const environmentParams = z.strictObject({ environment_id: z.string() });
const config = taggedUnion("type", [cloudConfig], ["self_hosted"]);

export const environmentRoutes = {
  create: defineRoute(operations.environments.create, {
    body: z.strictObject({
      name: text(1, 256),
      description: text(0, 2048).nullish(),
      config: config.nullish(),
      environment_variables: environmentVariables.nullish().meta({ description: variablesDescription }),
      resources: resourceLimits.nullish().meta({ description: limitsDescription }),
      metadata: metadata.nullish(),
      credentials: credentials.nullish().meta({ description: credentialsDescription }),
      image: image.nullish().meta({ description: imageDescription }),
    }),
    response: environment,
  }),
  list: defineRoute(operations.environments.list, {
    query: listQuery("environment", { include_archived: flag }),
    response: pageOf(environment),
  }),
  get: defineRoute(operations.environments.get, {
    params: environmentParams,
    response: environment,
  }),
  /**
   * What is left out stays as it is, at every depth; null sets back to the default. Hosts and variables are replaced whole.
   * Sessions have new variables, and credentials where they now are, with their next command, new networking with their next turn, and the rest when their
   * sandbox, once closed, is opened again.
   */
  update: defineRoute(operations.environments.update, {
    params: environmentParams,
    body: z.strictObject({
      name: text(1, 256).optional(),
      description: text(0, 2048).nullish(),
      config: config.nullish(),
      environment_variables: environmentVariables.nullish().meta({ description: variablesDescription }),
      resources: resourceLimits.nullish().meta({ description: limitsDescription }),
      metadata: metadataPatch.nullish(),
      credentials: credentials.nullish().meta({ description: credentialsDescription }),
      image: image.nullish().meta({ description: imageDescription }),
    }),
    response: environment,
  }),
  /** Archived environments may be deleted, those that a session uses which is not terminated may not. */
  delete: defineRoute(operations.environments.delete, {
    params: environmentParams,
    response: deletedObject("environment"),
  }),
  archive: defineRoute(operations.environments.archive, {
    params: environmentParams,
    response: environment,
  }),
};
