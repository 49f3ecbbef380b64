import type { DeploymentResource, EventOf, Session } from "@berth/sdk";
import { budgetTyped } from "../../format/money.ts";
import { newKey } from "../../format/pairs.ts";
import { uploadPath } from "../../format/upload-path.ts";

/** A repository in the form. Its secret is kept in memory only, never in a draft. */
export type RepositoryEntry = {
  key: string;
  kind: "hosted" | "git";
  /** The connection that gets the token; null for a secret of its own, or none. */
  connectionId: string | null;
  url: string;
  /** The user name for a git server that needs one besides the password. */
  username: string;
  secret: string;
  ref: string;
  refType: "branch" | "tag" | "commit" | "ref";
  mountPath: string;
  /** What the form does not show, sent as it is. */
  kept?: { access?: "read_write" | "read_only"; environment?: { from: "devcontainer" } };
};

export type FileEntry = { key: string; fileId: string; name: string; mountPath: string };
export type StoreEntry = {
  storeId: string;
  access: "read_write" | "read_only";
  /** Sent as they are. */
  instructions?: string;
};

export type Form = {
  task: string;
  title: string;
  /** Dollars. */
  budget: string;
  agentMode: "existing" | "quick";
  agentId: string | null;
  /** The agent's version; null for the newest. */
  agentVersion: number | null;
  /** The model of an agent that is created with the session. */
  model: string | null;
  system: string;
  skillIds: string[];
  environmentId: string | null;
  repositories: RepositoryEntry[];
  files: FileEntry[];
  vaultIds: string[];
  stores: StoreEntry[];
  /** One variable a line, as `NAME=value`. */
  variables: string;
};

export const EMPTY_FORM: Form = {
  task: "",
  title: "",
  budget: "",
  agentMode: "existing",
  agentId: null,
  agentVersion: null,
  model: null,
  system: "",
  skillIds: [],
  environmentId: null,
  repositories: [],
  files: [],
  vaultIds: [],
  stores: [],
  variables: "",
};

export function newRepository(url = ""): RepositoryEntry {
  return {
    key: newKey(),
    kind: kindOf(url),
    connectionId: null,
    url,
    username: "",
    secret: "",
    ref: "",
    refType: "branch",
    mountPath: "",
  };
}

/** The providers of an installation that configures none. */
const DEFAULT_PROVIDERS: ReadonlySet<string> = new Set(["github.com"]);

/**
 * Returns the kind of a repository: a URL at a provider takes a token, any other server is plain git.
 * `providers` holds host names, with a port where there is one.
 */
export function kindOf(
  url: string,
  providers: ReadonlySet<string> = DEFAULT_PROVIDERS,
): RepositoryEntry["kind"] {
  const address = URL.parse(url.trim());
  return address?.protocol === "https:" && providers.has(address.host) ? "hosted" : "git";
}

/** Returns the hosts of the installation's providers, as far as existing sessions show them. */
export function providersIn(sessions: readonly Pick<Session, "resources">[]): ReadonlySet<string> {
  const hosted = sessions.flatMap(({ resources }) =>
    resources.flatMap((one) => (one.type === "hosted_repository" ? [URL.parse(one.url)?.host ?? ""] : [])),
  );
  return new Set([...DEFAULT_PROVIDERS, ...hosted]);
}

/** Changes a repository's URL. The kind follows the URL unless somebody chose it. */
export function withUrl(
  { url: before, kind }: RepositoryEntry,
  url: string,
  providers: ReadonlySet<string>,
): Pick<RepositoryEntry, "url" | "kind"> {
  return { url, kind: kind === kindOf(before, providers) ? kindOf(url, providers) : kind };
}

/** Returns a form filled like another session. Secrets are unknown and left out. */
export function formLike(session: Session, first: EventOf<"user.message"> | undefined): Form {
  const { resources } = session;
  const task =
    first?.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n") ?? "";
  return {
    ...EMPTY_FORM,
    task,
    title: session.title,
    budget: dollarsOf(session.budget),
    agentId: session.agent.id,
    agentVersion: session.agent.version,
    environmentId: session.environment_id,
    ...resourcesLike(resources),
    vaultIds: session.vault_ids,
    variables: variablesLike(session.environment_variables),
  };
}

type ResourceLike = Session["resources"][number] | DeploymentResource;

/** Returns the entries of resources of a session or a deployment. Secrets are unknown and left out. */
export function resourcesLike(
  resources: readonly ResourceLike[],
): Pick<Form, "repositories" | "files" | "stores"> {
  return {
    repositories: resources.flatMap((one) => ("url" in one ? [repositoryLike(one)] : [])),
    files: resources.flatMap((one) => (one.type === "file" ? [fileLike(one)] : [])),
    stores: resources.flatMap((one) =>
      one.type === "memory_store"
        ? [
            {
              storeId: one.memory_store_id,
              access: one.access,
              ...(one.instructions != null && { instructions: one.instructions }),
            },
          ]
        : [],
    ),
  };
}

export function variablesLike(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** Returns a budget in dollars, as it is typed. */
export function dollarsOf(budget: Session["budget"]): string {
  return budget === null ? "" : `${Number(budget.max_list_cost.amount) / 100}`;
}

function repositoryLike(resource: Extract<ResourceLike, { url: string }>): RepositoryEntry {
  const { checkout, connection_id, access, environment } = resource;
  return {
    ...newRepository(resource.url),
    kind: resource.type === "hosted_repository" ? "hosted" : "git",
    connectionId: connection_id,
    username: resource.type === "git_repository" && connection_id === null ? (resource.username ?? "") : "",
    refType: checkout?.type ?? "branch",
    ref: checkout === null ? "" : checkout.type === "commit" ? checkout.sha : checkout.name,
    mountPath: resource.mount_path ?? "",
    kept: { ...(access != null && { access }), ...(environment != null && { environment }) },
  };
}

function fileLike(file: { file_id: string; mount_path: string | null }): FileEntry {
  const mount_path = file.mount_path ?? `/mnt/session/uploads/${file.file_id}`;
  return {
    key: newKey(),
    fileId: file.file_id,
    name: mount_path.split("/").at(-1) ?? "",
    mountPath: mountPathLike({ ...file, mount_path }),
  };
}

/**
 * Returns a file's mount path for the form; empty when it is the default path, so that the new file gets its
 * own default.
 */
function mountPathLike({ file_id, mount_path }: { file_id: string; mount_path: string }): string {
  const name = mount_path.split("/").at(-1) ?? "";
  return mount_path === uploadPath(file_id, name) ? "" : mount_path;
}

/**
 * Returns the request body that creates the session, and for each repository in it the form entry that it
 * comes from.
 */
export function requestOf(form: Form, agentId: string) {
  const repositories = givenRepositories(form);
  const variables = readVariables(form.variables);
  const agent =
    form.agentMode === "existing" && form.agentVersion !== null
      ? { id: agentId, type: "agent" as const, version: form.agentVersion }
      : agentId;
  const resources = resourcesOf(form);
  const body = {
    agent,
    environment_id: form.environmentId ?? "",
    ...given("title", form.title.trim() || titleOf(form.task)),
    ...(form.budget.trim() === "" ? {} : { budget: budgetTyped(form.budget) }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(form.vaultIds.length === 0 ? {} : { vault_ids: form.vaultIds }),
    ...(Object.keys(variables).length === 0 ? {} : { environment_variables: variables }),
  };
  return { body, repositories };
}

function givenRepositories({ repositories }: Pick<Form, "repositories">): RepositoryEntry[] {
  return repositories.filter(({ url }) => url.trim() !== "");
}

/** Returns the resources as the API takes them: repositories, files and memory stores. */
export function resourcesOf(form: Pick<Form, "repositories" | "files" | "stores">) {
  return [
    ...givenRepositories(form).map(repositoryInput),
    ...form.files.map(({ fileId, name, mountPath }) => ({
      type: "file" as const,
      file_id: fileId,
      mount_path: mountPath.trim() || uploadPath(fileId, name),
    })),
    ...form.stores.map(({ storeId, ...rest }) => ({
      type: "memory_store" as const,
      memory_store_id: storeId,
      ...rest,
    })),
  ];
}

/** Returns the first line of the task, the default title of a session. */
function titleOf(task: string): string {
  return (task.trim().split("\n")[0] ?? "").slice(0, 100);
}

function repositoryInput(entry: RepositoryEntry) {
  const { kind, connectionId, url, username, secret, ref, refType, mountPath, kept = {} } = entry;
  const { access, environment } = kept;
  const common = {
    url: url.trim(),
    ...given("mount_path", mountPath),
    ...checkoutOf(refType, ref.trim()),
    ...(environment && { environment }),
  };
  if (connectionId != null) {
    const type = kind === "hosted" ? ("hosted_repository" as const) : ("git_repository" as const);
    return { type, ...common, connection_id: connectionId, ...(access && { access }) };
  }
  if (kind === "hosted")
    return { type: "hosted_repository" as const, ...common, ...given("authorization_token", secret) };
  return {
    type: "git_repository" as const,
    ...common,
    ...given("username", username),
    ...given("password", secret),
  };
}

function checkoutOf(type: RepositoryEntry["refType"], ref: string) {
  if (ref === "") return {};
  if (type === "commit") return { checkout: { type, sha: ref } };
  return { checkout: { type, name: ref } };
}

function given<Name extends string>(name: Name, value: string): { [Key in Name]?: string } {
  return value.trim() === "" ? {} : ({ [name]: value.trim() } as { [Key in Name]: string });
}

export function readVariables(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1)]),
  );
}

/** Returns the request with shell variables in place of secrets, to be shown and copied. */
export function withoutSecrets(body: { resources?: readonly object[] }): object {
  const hidden = (one: object) =>
    Object.fromEntries(
      Object.entries(one).map(([name, value]) => [
        name,
        name === "authorization_token" || name === "password" ? "$GIT_TOKEN" : value,
      ]),
    );
  return { ...body, ...(body.resources === undefined ? {} : { resources: body.resources.map(hidden) }) };
}

/**
 * Returns the form field that a fault belongs to, from the parameter that the service names.
 * `resources[1].url` is the URL of the second repository.
 */
export function placeOf(param: string | null, form: Pick<Form, "repositories" | "files">): string {
  const [, index, field = ""] = /^resources\[(\d+)\](?:\.(.*))?$/.exec(param ?? "") ?? [];
  if (index === undefined) return (param ?? "").replace(/[[.].*$/, "");
  const repositories = givenRepositories(form);
  const repository = repositories[Number(index)];
  if (repository !== undefined)
    return `${repository.key} ${field
      .replace(/^(authorization_token|password)$/, "secret")
      .replace(/^connection_id$/, "connection")
      .replace(/\..*$/, "")}`;
  const file = form.files[Number(index) - repositories.length];
  return file !== undefined ? `file ${file.key}` : "stores";
}

/** Returns the form as a draft, without secrets. */
export function draftOf(form: Form): string {
  return JSON.stringify({ ...form, repositories: form.repositories.map((one) => ({ ...one, secret: "" })) });
}

/** Returns the form of a draft; an empty form if the draft cannot be read. */
export function readDraft(draft: string): Form {
  try {
    const read = JSON.parse(draft) as Partial<Form>;
    return { ...EMPTY_FORM, ...read };
  } catch {
    return EMPTY_FORM;
  }
}
