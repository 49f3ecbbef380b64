import { z } from "zod";
import {
  idOf,
  metadata,
  metadataPatch,
  owner,
  taggedUnion,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { listQuery, pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";

/** The APIs of git hosts that Berth knows. Forgejo has that of Gitea. */
export const GIT_HOST_APIS = ["github", "gitlab", "gitea", "bitbucket"] as const;

const oneLine = (maximum: number) =>
  text(1, maximum).regex(/^[^\u0000-\u001f\u007f]*$/, {
    error: "Field '{field}' must not contain control characters.",
  });

const secret = (schema: z.ZodString, description: string) => schema.meta({ writeOnly: true, description });

const hostUrl = z
  .string()
  .max(2048)
  .overwrite((url) => url.replace(/\/+$/, ""))
  .regex(/^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$/, {
    error: "Field '{field}' must be of the form 'https://<host>', in lower case.",
  });

const apiUrl = z
  .string()
  .max(2048)
  .overwrite((url) => url.replace(/\/+$/, ""))
  .regex(/^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?(\/[A-Za-z0-9_.~-]+)*$/, {
    error: "Field '{field}' must be an https URL without credentials, query or fragment.",
  });

const appId = text(1, 100).regex(/^[A-Za-z0-9._-]+$/, {
  error: "Field '{field}' must be the app's id or its client id.",
});
const installationId = z.string().regex(/^[1-9][0-9]{0,18}$/, {
  error: "Field '{field}' must be the number of an installation.",
});
const username = oneLine(255).regex(/^[^:]*$/, { error: "Field '{field}' must not contain a colon." });
const workspace = text(1, 100).regex(/^[A-Za-z0-9_.-]+$/, {
  error: "Field '{field}' must be the name of a workspace.",
});

const privateKey = secret(text(1, 16_384), "The app's private key: RSA, in PEM form. Never returned.");
const hostToken = secret(oneLine(4096), "Never returned.");
const password = secret(
  oneLine(4096),
  "Gitea makes tokens only for an account's password, without a second factor. Never returned.",
);

const DESCRIPTIONS = {
  github_app:
    "A GitHub App, also of GitHub Enterprise. Each session gets a token of its own, for its repository alone, which ends after an hour.",
  gitlab:
    "A personal access token of GitLab, with the scope `api`, of somebody who maintains the projects. Each session gets a project access token.",
  gitea:
    "An account of Gitea or Forgejo. Each session gets an access token with the scope for repositories, which is valid for all of the account's.",
  bitbucket: "An access token of a workspace of Bitbucket. Sessions get this token itself.",
  token:
    "Any token of any git host. Sessions get this token itself. `api` says by which API its repositories are listed.",
} as const;

const newAuth = taggedUnion("type", [
  z
    .strictObject({
      type: z.literal("github_app"),
      app_id: appId,
      installation_id: installationId,
      private_key: privateKey,
    })
    .meta({ description: DESCRIPTIONS.github_app }),
  z.strictObject({ type: z.literal("gitlab"), token: hostToken }).meta({ description: DESCRIPTIONS.gitlab }),
  z.strictObject({ type: z.literal("gitea"), username, password }).meta({ description: DESCRIPTIONS.gitea }),
  z
    .strictObject({ type: z.literal("bitbucket"), workspace, token: hostToken })
    .meta({ description: DESCRIPTIONS.bitbucket }),
  z
    .strictObject({
      type: z.literal("token"),
      api: z.enum(GIT_HOST_APIS).nullish(),
      username: username.nullish(),
      token: hostToken,
    })
    .meta({ description: DESCRIPTIONS.token }),
]);

/** A new secret. Its type must be that of the connection. */
const changedAuth = taggedUnion("type", [
  z.strictObject({ type: z.literal("github_app"), private_key: privateKey }),
  z.strictObject({ type: z.literal("gitlab"), token: hostToken }),
  z.strictObject({ type: z.literal("gitea"), password }),
  z.strictObject({ type: z.literal("bitbucket"), token: hostToken }),
  z.strictObject({ type: z.literal("token"), token: hostToken }),
]);

const shownAuth = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("github_app"), app_id: z.string(), installation_id: z.string() }),
    z.strictObject({ type: z.literal("gitlab") }),
    z.strictObject({ type: z.literal("gitea"), username: z.string() }),
    z.strictObject({ type: z.literal("bitbucket"), workspace: z.string() }),
    z.strictObject({
      type: z.literal("token"),
      api: z.enum(GIT_HOST_APIS).nullable(),
      username: z.string().nullable(),
    }),
  ])
  .meta({ description: "The credential without its secret." });
/** The credential of a connection, without its secret. */
export type ConnectionAuth = z.output<typeof shownAuth>;

/** A credential at a git host, from which sessions get tokens for its repositories. */
export const connection = z
  .strictObject({
    id: idOf("connection"),
    type: z.literal("connection"),
    display_name: z.string(),
    url: z.string(),
    api_url: z.string().nullable().meta({ description: "Null for a `token` without `api`." }),
    auth: shownAuth,
    hosted: z.boolean().meta({
      description:
        "Whether its host is one of the installation's providers, so that its repositories can be a `hosted_repository`.",
    }),
    metadata,
    ...owner,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Connection" });
export type Connection = z.output<typeof connection>;

const FULL_NAME = "Field '{field}' must be the full name of a repository, such as 'acme/widget'.";

const repositoryName = text(3, 512)
  .regex(/^[^\s/?#%\\]+(\/[^\s/?#%\\]+)+$/, { error: FULL_NAME })
  .refine((name) => !name.split("/").some((part) => part === "." || part === ".."), { error: FULL_NAME })
  .meta({ examples: ["acme/widget"], description: "Its full name." });

export const hostRepository = z
  .strictObject({
    full_name: z.string().meta({ description: "Such as `acme/widget`." }),
    url: z.string().meta({ description: "The `url` for a session's repository." }),
    default_branch: z.string().nullable().meta({ description: "Null for an empty repository." }),
    private: z.boolean(),
  })
  .meta({ id: "HostRepository" });
export type HostRepository = z.output<typeof hostRepository>;

export const hostBranch = z.strictObject({ name: z.string(), sha: z.string() }).meta({ id: "HostBranch" });
export type HostBranch = z.output<typeof hostBranch>;

const params = z.strictObject({ connection_id: z.string() });

export const connectionRoutes = {
  ...crud(operations.connections, {
    kind: "connection",
    object: connection,
    params,
    list: listQuery("connection", {}),
    create: z.strictObject({
      display_name: text(1, 255),
      url: hostUrl.nullish().meta({
        description:
          "The address of the host, from which its repositories are cloned. Default: that of the provider's own service; required for `gitea`, and for a `token` without `api`.",
      }),
      api_url: apiUrl.nullish().meta({
        description:
          "Default: that of github.com, gitlab.com or bitbucket.org, and elsewhere a path of `url`.",
      }),
      auth: newAuth,
      owner_type: owner.owner_type.nullish().meta({
        description:
          "`organization` for a connection that all its members use, which only its admins, and its service accounts, can make, change and delete. Default: `user`, and with a service account's token always `organization`.",
      }),
      metadata: metadata.nullish(),
    }),
    update: z.strictObject({
      display_name: text(1, 255).optional(),
      auth: changedAuth.optional(),
      metadata: metadataPatch.nullish(),
    }),
  }),
  test: defineRoute(operations.connections.test, {
    params,
    response: z.strictObject({
      ok: z.boolean(),
      message: z.string().meta({ description: "One sentence: what the host accepted, or what is wrong." }),
    }),
  }),
  repositories: defineRoute(operations.connections.repositories, {
    params,
    query: z.strictObject({
      ...pageQuery,
      query: text(1, 256).optional().meta({ description: "A part of the name, in any case of letters." }),
    }),
    response: pageOf(hostRepository),
  }),
  branches: defineRoute(operations.connections.branches, {
    params,
    query: z.strictObject({ ...pageQuery, repository: repositoryName }),
    response: pageOf(hostBranch),
  }),
};
