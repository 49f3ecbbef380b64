import { z } from "zod";
import { idOf, referenceTo, taggedUnion, text, timestamp } from "../../conventions/fields.ts";
import { gitUrl, hostedUrl } from "./git-url.ts";
import { repositoryMountPath } from "./mount-path.ts";

const REF_NAME = /^(?![-/.])(?!.*(\.\.|@\{|\/\/|\.lock$))[^\u0000-\u0020\u007f~^:?*[\\]+(?<![/.])$/;

/** Returns a schema for a branch or tag. It rejects options and control characters; git checks the rest. */
const refName = (noun: "branch" | "tag") =>
  text(1, 255)
    .regex(REF_NAME, { error: `Field '{field}' must be the name of a ${noun}.` })
    .regex(/^(?!refs\/)/, {
      error: `Field '{field}' must be the name of a ${noun} without 'refs/${noun === "branch" ? "heads" : "tags"}/'; any other ref has the type 'ref'.`,
    });

/** The full name of any ref. */
const fullRefName = text(1, 255)
  .regex(REF_NAME, { error: "Field '{field}' must be the full name of a ref, such as 'refs/pull/1/head'." })
  .regex(/^refs\/[^/]+\//, {
    error: "Field '{field}' must be the full name of a ref, such as 'refs/pull/1/head'.",
  });

export const checkout = taggedUnion("type", [
  z.strictObject({ type: z.literal("branch"), name: refName("branch") }),
  z.strictObject({ type: z.literal("tag"), name: refName("tag") }),
  z.strictObject({ type: z.literal("ref"), name: fullRefName }).meta({
    description:
      "Any ref of the host by its full name, such as a pull request's. Its commit is checked out without a branch.",
  }),
  z.strictObject({
    type: z.literal("commit"),
    sha: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, {
      error: "Field '{field}' must be a full commit hash, in lower case.",
    }),
  }),
]).meta({ id: "Checkout" });
export type Checkout = z.output<typeof checkout>;

const oneLine = (maximum: number) =>
  text(1, maximum).regex(/^[^\u0000-\u001f\u007f]*$/, {
    error: "Field '{field}' must not contain control characters.",
  });

/** A token or a password. */
export const repositorySecret = oneLine(4096).meta({
  writeOnly: true,
  description: "For private clones and for pushes. Never returned.",
});

const username = oneLine(255).regex(/^[^:]*$/, { error: "Field '{field}' must not contain a colon." });

const repositoryEnvironment = z.strictObject({ from: z.literal("devcontainer") });

/** What the token that a connection makes allows. */
const access = z.enum(["read_write", "read_only"]);

const commonInput = {
  connection_id: referenceTo("connection").nullish().meta({
    description:
      "A connection that makes the session's tokens for this repository, in place of a token or a password. Its host must be that of `url`.",
  }),
  access: access.nullish().meta({
    description:
      "With `connection_id`: what a token that the host makes for the session allows. Default: `read_write`.",
  }),
  mount_path: repositoryMountPath.nullish(),
  checkout: checkout.nullish(),
  environment: repositoryEnvironment.nullish().meta({
    description:
      "`{\"from\": \"devcontainer\"}`: the session also follows the repository's `.devcontainer/devcontainer.json`, or `.devcontainer.json`, as it is when it is first cloned: `features` that are runtimes, unless the environment names their version; `containerEnv` and `remoteEnv`, before the environment's variables; `onCreateCommand`, `updateContentCommand` and `postCreateCommand`, after the environment's `repository_setup_script` and like it; `forwardPorts`; and `image`, if the installation's engine runs images and the environment names none: the sandbox is opened again with it before these commands, and an image that cannot be run is a `session.error` of type `environment_error`, after which the session has its usual one. `devcontainer` of the session names what is followed and what is not. A file that is missing or invalid does not stop the session. At most one repository of a session can have it. Default: none.",
  }),
};

export const hostedRepositoryInput = z.strictObject({
  type: z.literal("hosted_repository"),
  url: hostedUrl,
  authorization_token: repositorySecret.nullish(),
  ...commonInput,
});

export const gitRepositoryInput = z.strictObject({
  type: z.literal("git_repository"),
  url: gitUrl,
  username: username.nullish(),
  password: repositorySecret.nullish(),
  ...commonInput,
});

const common = {
  url: z.string(),
  mount_path: z.string(),
  checkout: checkout.nullable(),
  connection_id: idOf("connection").nullable().meta({
    description: "The connection that makes its tokens. Null for none, or when the connection was deleted.",
  }),
  access: access.nullable().meta({ description: "Null without `connection_id`." }),
  environment: repositoryEnvironment
    .nullable()
    .meta({ description: "From which of its files the session also takes its environment. Null for none." }),
  error: z.strictObject({ message: z.string(), failed_at: timestamp }).nullable().meta({
    description:
      "Why the last clone failed, as the `session.error` in the log says. Null when the repository is cloned, being cloned, or waiting to be cloned.",
  }),
  created_at: timestamp,
  updated_at: timestamp,
};

export const hostedRepositoryResource = z
  .strictObject({ id: idOf("session_resource"), type: z.literal("hosted_repository"), ...common })
  .meta({ id: "HostedRepositoryResource" });

export const gitRepositoryResource = z
  .strictObject({
    id: idOf("session_resource"),
    type: z.literal("git_repository"),
    username: z.string().nullable(),
    ...common,
  })
  .meta({ id: "GitRepositoryResource" });

export const repositoryResource = z
  .discriminatedUnion("type", [hostedRepositoryResource, gitRepositoryResource])
  .meta({ id: "RepositoryResource" });
export type RepositoryResource = z.output<typeof repositoryResource>;
