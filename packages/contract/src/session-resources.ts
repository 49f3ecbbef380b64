import { z } from "zod";
import { mountPath } from "./mount-path.ts";
import { operations } from "./operations.ts";
import { listQuery, pageOf } from "./page.ts";
import { defineRoute } from "./route.ts";
import { idOf, kindsBy, text, timestamp } from "./schema.ts";

/** A branch as git allows it to be named, near enough to refuse options and control characters; git decides the rest. */
const branchName = text(1, 255).regex(
  /^(?![-/.])(?!.*(\.\.|@\{|\/\/|\.lock$))[^\u0000-\u0020\u007f~^:?*[\\]+(?<![/.])$/,
  {
    error: "Field '{field}' must be the name of a branch.",
  },
);

export const checkout = kindsBy("type", [
  z.strictObject({ type: z.literal("branch"), name: branchName }),
  z.strictObject({
    type: z.literal("commit"),
    sha: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, {
      error: "Field '{field}' must be a full commit hash, in lower case.",
    }),
  }),
]).meta({ id: "Checkout" });
export type Checkout = z.output<typeof checkout>;

const secret = text(1, 4096).regex(/^[^\u0000-\u001f\u007f]*$/, {
  error: "Field '{field}' must not contain control characters.",
});

/**
 * `https://<repo_host>/<org>/<repo>`: no credentials, query, fragment or `.git`. Whether the installation serves the
 * host is checked when the session is created.
 */
export const repositoryUrl = z
  .string()
  .max(2048)
  .regex(
    /^https:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?\/[A-Za-z0-9_][A-Za-z0-9_.-]*\/[A-Za-z0-9_.-]+$/,
    {
      error: "Field '{field}' must be of the form 'https://<repo_host>/<org>/<repo>'.",
    },
  )
  .refine((url) => !url.endsWith(".git"), { error: "Field '{field}' must not end with '.git'." })
  .refine((url) => !/\/\.{1,2}(\/|$)/.test(url), {
    error: "Field '{field}' must be of the form 'https://<repo_host>/<org>/<repo>'.",
  });

const repositoryInput = z.strictObject({
  type: z.literal("hosted_repository"),
  url: repositoryUrl,
  mount_path: mountPath.nullish(),
  authorization_token: secret
    .nullish()
    .meta({ writeOnly: true, description: "For private clone and push. Never returned." }),
  checkout: checkout.nullish(),
});

const fileInput = z.strictObject({
  type: z.literal("file"),
  file_id: idOf("file"),
  mount_path: mountPath.nullish(),
});

/** A resource as it is given when a session is created. */
export const resourceInput = kindsBy(
  "type",
  [repositoryInput, fileInput],
  ["git_repository", "memory_store"],
);
export type ResourceInput = z.output<typeof resourceInput>;

export const repositoryResource = z
  .strictObject({
    id: idOf("session_resource"),
    type: z.literal("hosted_repository"),
    url: z.string(),
    mount_path: z.string(),
    checkout: checkout.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "RepositoryResource" });

export const fileResource = z
  .strictObject({
    id: idOf("session_resource"),
    type: z.literal("file"),
    file_id: idOf("file"),
    mount_path: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "FileResource" });

export const sessionResource = z
  .discriminatedUnion("type", [repositoryResource, fileResource])
  .meta({ id: "SessionResource" });
export type SessionResource = z.output<typeof sessionResource>;

const sessionParams = z.strictObject({ session_id: z.string() });
const resourceParams = z.strictObject({ session_id: z.string(), resource_id: z.string() });

export const sessionResourceRoutes = {
  add: defineRoute(operations.sessionResources.add, {
    params: sessionParams,
    query: z.strictObject({}),
    body: fileInput,
    answer: fileResource,
  }),
  list: defineRoute(operations.sessionResources.list, {
    params: sessionParams,
    query: listQuery("session_resource", {}),
    body: z.undefined(),
    answer: pageOf(sessionResource),
  }),
  get: defineRoute(operations.sessionResources.get, {
    params: resourceParams,
    query: z.strictObject({}),
    body: z.undefined(),
    answer: sessionResource,
  }),
  rotate: defineRoute(operations.sessionResources.rotate, {
    params: resourceParams,
    query: z.strictObject({}),
    body: z.strictObject({ authorization_token: secret.meta({ writeOnly: true }) }),
    answer: repositoryResource,
  }),
};
