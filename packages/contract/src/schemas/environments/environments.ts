import { z } from "zod";
import {
  environmentVariables,
  idOf,
  metadata,
  metadataPatch,
  taggedUnion,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { gitIdentity, gitIdentityInput } from "../../conventions/git-identity.ts";
import { sharedOwner, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";
import { installedPackages, packages, setupScript } from "./packages.ts";
import { askedRuntimes, resolvedRuntime, runtimes } from "./runtimes.ts";

/**
 * A host that sessions may connect to: a name, a name with a port, or `*.` and a name for all its subdomains.
 * IP addresses are rejected.
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
        "Hosts that sessions can connect to besides those of their repositories: a name, for ports 80 and 443; a name with a port, such as `git.example.com:8443`; or `*.example.com`, for all its subdomains. Default: none.",
    }),
    allow_package_managers: z.boolean().nullish().meta({
      description:
        "Also allow the public registries of apt, npm, pip, cargo, go, gem and maven. Default: false.",
    }),
    allow_mcp_servers: z.boolean().nullish().meta({
      description: "Also allow calls to the agent's MCP servers. Default: false.",
    }),
  }),
]);

const cloudConfig = z.strictObject({
  type: z.literal("cloud"),
  networking: networking.nullish().meta({
    description:
      "Hosts that commands can connect to. `limited`, the default: the hosts of the session's repositories and those that its fields add. `unrestricted`: every public host, on ports 80 and 443. A blocked connection is a `session.egress_denied` event.",
  }),
  packages: packages.nullish().meta({
    description:
      "Packages that every session has, installed in this order: Debian packages by apt, npm packages (globally), pip packages. They are installed once and shared by all environments of the organization with the same list; the first session waits for the installation. If it fails, a `session.error` of type `environment_error` has the end of the package manager's output, the session continues without the packages, and the installation is retried when the sandbox is next opened. Omitted lists keep their value; null means none.",
  }),
  runtimes: runtimes.nullish().meta({
    description:
      'Versions of language runtimes and package managers that every session has, such as `{"node": "22", "go": "1.24"}`. They come first on the PATH of commands, setup scripts and package installations. `22` is the newest 22 that the installation can have, `latest` and `stable` are its newest version, and `lts` is Node\'s newest even one; `GET /runtimes` lists what there is, and anything else is 400. The version is chosen when the field is written, and `resolved_runtimes` has it: sessions keep it until the field names the runtime again. A version is fetched once for the whole installation, and needs no network after that; the first session waits for it. If that fails, a `session.error` of type `environment_error` has the reason, and the session continues without it. Omitted runtimes keep their value, null removes one, and null for all of them means none. `auto`: each session chooses its versions once, from files at the roots of its repositories when these are cloned, before `repository_setup_script` and the first command; see `chosen_runtimes` of a session. Packages and `setup_script`, which sessions share, do without them then. Not available where sandboxes are pods.',
  }),
  setup_script: setupScript.nullish().meta({
    description:
      "A script that `/bin/sh` runs once as root, after the packages are installed, with the environment's networking and variables and without the secrets of a session. Every session starts with its changes in /usr, /etc, /opt, /var and /home/agent. It is run again when the script, the packages, the networking or the variables change. Null or empty means none. A failure is handled as for packages.",
  }),
  repository_setup_script: setupScript.nullish().meta({
    description:
      "A script that runs in each repository of a session once it is cloned, such as `npm ci`: with `/bin/sh -e` or the interpreter named in its first line, as the agent's user, with the repository as its working directory, its URL in BERTH_REPOSITORY, and the environment's networking and variables, but without credentials. Later sessions of the organization start with its changes in the repository and in the package caches of the home directory, until the repository, the script, or a dependency of the script changes. It runs apart from the session, and also reaches the public registries of package managers; where repositories have no snapshots, it runs in each session, with the session's network. It may run again over what it left, if the service dies meanwhile, so it must be repeatable. Commands wait for it, for 15 minutes at most once it has begun; `session.resource_progress` events have the phase `setting_up`. A change applies to what is cloned later. Null or empty means none. If it fails, a `session.error` of type `environment_error` has the end of its output, and the next session tries again.",
  }),
  repository_setup_required: z.boolean().nullish().meta({
    description:
      "Whether a failure of `repository_setup_script` counts as a failure to clone: the repository is removed from the session, and both are tried again at the next turn once the script, its variables or the networking have changed, or when the resource is retried. Default: false, the session continues without the script's results.",
  }),
});

const resourceLimits = z.strictObject({
  cpus: z.number().min(0.1).max(256).nullish().meta({
    description:
      "CPU cores, at most as many as the operator allows (BERTH_MAX_CPUS; all of the machine's unless changed, 4 where sandboxes are pods). Default: 2, or the maximum if that is less.",
  }),
  memory_mb: z.int().min(64).max(1_048_576).nullish().meta({
    description:
      "Memory in MiB, including files in /dev/shm. A process that exceeds it is killed, and the agent is notified. The operator limits it (BERTH_MAX_MEMORY_MB; half of the machine's unless changed, 8,192 where sandboxes are pods). Default: 4,096, or the maximum if that is less.",
  }),
  pids: z.int().min(16).max(1_000_000).nullish().meta({
    description:
      "Number of processes and threads. When it is reached, no process can be started, and the agent is notified. The operator limits it (BERTH_MAX_PIDS; half of what the machine can run unless changed, 1,024 where sandboxes are pods). Default: 4,096, fewer (at least 512) where the machine's table of open files is small, and never more than the maximum.",
  }),
  disk_mb: z.int().min(64).max(1_048_576).nullish().meta({
    description:
      "Disk space of a session in MiB, with at most one file per 4 KiB, limited by the operator (BERTH_MAX_DISK_MB; half of the volume unless changed, 51,200 where sandboxes are pods). It holds clones of repositories, files that commands write, also in /tmp and /var/tmp, and outputs; uploaded files below /mnt/session/uploads, read-only memory stores and /dev/shm, which is in memory, do not count. When it is full, writes fail with 'No space left on device'. Default, also with null: the operator's BERTH_SESSION_DISK_MB (10,240 unless changed) if the machine can enforce a limit, otherwise none. It applies to disks that are created after the change; a larger value also grows an existing disk when its sandbox is next opened, a smaller one does not shrink it. If the machine cannot enforce a limit, a session whose environment sets one has a `sandbox_error` in its log, and its commands fail.",
  }),
});
const VARIABLES_DESCRIPTION =
  "Environment variables of every command in its sessions; commands can read them. Variables of a session, a vault or a repository take precedence.";

const credentials = z.enum(["inject", "proxy"]);

const CREDENTIALS_DESCRIPTION =
  "Where the tokens and passwords of a session's repositories are kept. `inject`, the default: in the container, in the variables that git and the provider's command line read. `proxy`: outside the container, which only has placeholders; Berth inserts the real values into requests to the repository and, for a hosted one, to its provider's host and API. A change applies from the next command; a container may still hold values that it had before.";
const IMAGE_DESCRIPTION =
  "Image of the sandboxes, if the installation's engine runs images; otherwise 400. If the engine does not have the image, the session has a `sandbox_error` in its log, and its commands fail. Default: the installation's own image.";
/** An image's name as container engines write it, with an optional registry, tag and digest. */
export const imageName = z
  .string()
  .max(255)
  .regex(
    /^[a-z0-9][a-z0-9._-]*(:[0-9]{1,5})?(\/[a-z0-9][a-z0-9._-]*)*(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/,
    {
      error: "Field '{field}' must be the name of an image, such as 'debian:bookworm'.",
    },
  );

const RUNTIME_CLASS_DESCRIPTION =
  "Runtime class of the pods of the sandboxes, such as `gvisor`: one that the operator allows (BERTH_KUBERNETES_RUNTIME_CLASSES). Otherwise, and where sandboxes are not pods of a Kubernetes cluster, the request is rejected with 400. If it is no longer allowed or the cluster does not have it, the session has a `sandbox_error` in its log, and its commands fail. Default: the installation's own.";
/** A name in the form of Kubernetes: labels of a domain name. */
const runtimeClass = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, {
    error: "Field '{field}' must be the name of a runtime class, such as 'gvisor'.",
  });

const workspace = z.enum(["persistent", "ephemeral"]);

const WORKSPACE_DESCRIPTION =
  "How long a session keeps its disk. `persistent`, the default: until it has been idle for the operator's BERTH_DISK_RECLAIM_SECONDS (a day unless changed). `ephemeral`: only as long as its sandbox is open, which is closed BERTH_SANDBOX_IDLE_SECONDS (60 unless changed) after the last command, also while the session waits for a client. Then files below /mnt/session/outputs are saved as Files, the rest of the disk is deleted, the log has a `session.container_reclaimed` with the reason `inactivity`, and the next command has a new disk, with the repositories cloned again. A turn that another process continues keeps the disk. A change to `ephemeral` applies to disks that are created later; one to `persistent` to every disk.";

const KEEP_ALIVE_DESCRIPTION =
  "Seconds that the sandbox of a session stays open after its last command while processes run that commands left, such as a server or a database; at most 86,400, and what the operator allows (BERTH_MAX_KEEP_ALIVE_SECONDS, 3,600 unless changed). When they are over, the processes get SIGTERM and have ten seconds to end before the sandbox is closed. Without processes, and with 0, the sandbox closes BERTH_SANDBOX_IDLE_SECONDS (60 unless changed) after the last command. An open sandbox counts as used. A change applies when the session next rests. Default: 0.";

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
      packages: installedPackages,
      runtimes: askedRuntimes.meta({
        description:
          "The versions that were asked for, or `auto`: those that a session's repositories ask for.",
      }),
      resolved_runtimes: z.array(resolvedRuntime).meta({
        description: "The versions that sessions have, chosen when `runtimes` was written. Empty for `auto`.",
      }),
      setup_script: z.string().nullable(),
      repository_setup_script: z.string().nullable(),
      repository_setup_required: z.boolean(),
    }),
    environment_variables: z.record(z.string(), z.string()),
    credentials,
    git_identity: gitIdentity.nullable(),
    image: z.string().nullable().meta({
      description: "Image of the sandboxes. Null: the installation's own image.",
    }),
    runtime_class: z.string().nullable().meta({
      description: "Runtime class of the pods of the sandboxes. Null: the installation's own.",
    }),
    workspace,
    keep_alive_seconds: z.int(),
    resources: z.strictObject({
      cpus: z.number(),
      memory_mb: z.int(),
      pids: z.int(),
      disk_mb: z.int().nullable(),
    }),
    metadata,
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Environment" });
export type Environment = z.output<typeof environment>;

const params = z.strictObject({ environment_id: z.string() });
const config = taggedUnion("type", [cloudConfig], ["self_hosted"]);

/** The fields of a create request besides the name. */
const settings = {
  description: text(0, 2048).nullish(),
  config: config.nullish(),
  environment_variables: environmentVariables.nullish().meta({ description: VARIABLES_DESCRIPTION }),
  resources: resourceLimits.nullish().meta({ description: "Limits of each session's sandbox." }),
  metadata: metadata.nullish(),
  credentials: credentials.nullish().meta({ description: CREDENTIALS_DESCRIPTION }),
  git_identity: gitIdentityInput.nullish(),
  image: imageName.nullish().meta({ description: IMAGE_DESCRIPTION }),
  runtime_class: runtimeClass.nullish().meta({ description: RUNTIME_CLASS_DESCRIPTION }),
  workspace: workspace.nullish().meta({ description: WORKSPACE_DESCRIPTION }),
  keep_alive_seconds: z.int().min(0).max(86_400).nullish().meta({ description: KEEP_ALIVE_DESCRIPTION }),
};

export const environmentRoutes = {
  ...crud(operations.environments, {
    kind: "environment",
    object: environment,
    params,
    create: z.strictObject({ name: text(1, 256), ...settings, visibility: visibilityInput }),
    update: z.strictObject({
      name: text(1, 256).optional(),
      ...settings,
      metadata: metadataPatch.nullish(),
    }),
  }),
  ...sharingRoutes(operations.environments, params),
  archive: defineRoute(operations.environments.archive, { params, response: environment }),
};
