import type { Connection } from "@berth/sdk";

export type ConnectionType = Connection["auth"]["type"];
type HostApi = "github" | "gitlab" | "gitea" | "bitbucket";

export type ConnectionForm = {
  type: ConnectionType;
  owner: Connection["owner_type"];
  name: string;
  url: string;
  appId: string;
  installationId: string;
  username: string;
  workspace: string;
  /** The API by which repositories are listed; empty for none. */
  api: HostApi | "";
  /** The private key, the token or the password, kept in memory only. */
  secret: string;
};

export const EMPTY_CONNECTION: ConnectionForm = {
  type: "github_app",
  owner: "user",
  name: "",
  url: "",
  appId: "",
  installationId: "",
  username: "",
  workspace: "",
  api: "github",
  secret: "",
};

export const TYPE_CHOICES: readonly { value: ConnectionType; label: string; about: string }[] = [
  { value: "github_app", label: "GitHub App", about: "A token for each session and repository" },
  { value: "gitlab", label: "GitLab", about: "A project access token for each session" },
  { value: "gitea", label: "Gitea or Forgejo", about: "An access token for each session" },
  { value: "bitbucket", label: "Bitbucket", about: "Sessions get the workspace's token" },
  { value: "token", label: "Any token", about: "Sessions get this token" },
];

/** The name of the secret of each type. */
export const SECRET_LABELS: Readonly<Record<ConnectionType, string>> = {
  github_app: "Private key",
  gitlab: "Token",
  gitea: "Password",
  bitbucket: "Token",
  token: "Token",
};

/** The addresses of the providers' own services, which are used if none is given. */
export const DEFAULT_URLS: Readonly<Record<ConnectionType, string>> = {
  github_app: "https://github.com",
  gitlab: "https://gitlab.com",
  gitea: "",
  bitbucket: "https://bitbucket.org",
  token: "",
};

export function createBodyOf(form: ConnectionForm) {
  const url = form.url.trim();
  return {
    display_name: form.name.trim(),
    ...(url === "" ? {} : { url }),
    auth: authOf(form),
    ...(form.owner === "user" ? {} : { owner_type: form.owner }),
  };
}

function authOf({ type, appId, installationId, username, workspace, api, secret }: ConnectionForm) {
  const token = secret.trim();
  switch (type) {
    case "github_app":
      return { type, app_id: appId.trim(), installation_id: installationId.trim(), private_key: secret };
    case "gitlab":
      return { type, token };
    case "gitea":
      return { type, username: username.trim(), password: secret };
    case "bitbucket":
      return { type, workspace: workspace.trim(), token };
    case "token": {
      const user = username.trim();
      return { type, ...(api === "" ? {} : { api }), ...(user === "" ? {} : { username: user }), token };
    }
  }
}

/** Returns the body that replaces a connection's secret. */
export function rotationOf(type: ConnectionType, secret: string) {
  switch (type) {
    case "github_app":
      return { auth: { type, private_key: secret } };
    case "gitea":
      return { auth: { type, password: secret } };
    case "gitlab":
    case "bitbucket":
    case "token":
      return { auth: { type, token: secret.trim() } };
  }
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string): keyof ConnectionForm | "" {
  const places: Record<string, keyof ConnectionForm> = {
    display_name: "name",
    url: "url",
    "auth.type": "type",
    "auth.app_id": "appId",
    "auth.installation_id": "installationId",
    "auth.username": "username",
    "auth.workspace": "workspace",
    "auth.api": "api",
    "auth.private_key": "secret",
    "auth.token": "secret",
    "auth.password": "secret",
  };
  return places[param] ?? "";
}

/** Returns the body as an example to copy, without the secret. */
export function withoutSecret<Body extends { auth: object }>(body: Body): Body {
  const hidden = Object.entries(body.auth).map(([field, value]) => [
    field,
    ["private_key", "token", "password"].includes(field) ? "…" : value,
  ]);
  return { ...body, auth: Object.fromEntries(hidden) };
}

/** Returns the name of a connection's type. */
export function typeName(type: ConnectionType): string {
  return TYPE_CHOICES.find(({ value }) => value === type)?.label ?? type;
}
