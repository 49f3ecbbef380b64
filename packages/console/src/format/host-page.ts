export type HostKind = "github" | "gitlab" | "gitea" | "bitbucket";

/** Hosts that everybody knows. Codeberg runs Forgejo, whose pages are those of Gitea. */
const PUBLIC_HOSTS: Readonly<Record<string, HostKind>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "bitbucket.org": "bitbucket",
  "codeberg.org": "gitea",
};

/** The path of a branch's page in a repository. */
const BRANCH_PATHS: Readonly<Record<HostKind, string>> = {
  github: "tree",
  gitlab: "-/tree",
  gitea: "src/branch",
  bitbucket: "branch",
};

/** The part of a connection that tells the kind of its host. */
type KnownHost = { url: string; auth: { type: string; api?: HostKind | null } };

const KINDS: Readonly<Record<string, HostKind>> = {
  github_app: "github",
  gitlab: "gitlab",
  gitea: "gitea",
  bitbucket: "bitbucket",
};

/**
 * Returns the address of a repository's page, or of a branch that it has; null for hosts whose pages are not
 * known, by their name or by a connection, and for addresses that are not https.
 */
export function hostPage(url: string, branch: string | null, known: readonly KnownHost[]): string | null {
  const repository = URL.parse(url);
  if (repository?.protocol !== "https:") return null;
  const kind = PUBLIC_HOSTS[repository.host] ?? kindBy(known, repository.origin);
  const path = repository.pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (kind === null || path === "") return null;
  const home = `${repository.origin}${path}`;
  if (branch === null) return home;
  return `${home}/${BRANCH_PATHS[kind]}/${branch.split("/").map(encodeURIComponent).join("/")}`;
}

function kindBy(known: readonly KnownHost[], origin: string): HostKind | null {
  const fitting = known.filter(({ url }) => URL.parse(url)?.origin === origin);
  return (
    fitting.map(({ auth: { type, api } }) => KINDS[type] ?? api ?? null).find((kind) => kind !== null) ?? null
  );
}
