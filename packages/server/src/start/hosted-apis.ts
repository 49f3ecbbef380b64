import type { HostedProvider } from "../config/git-settings.ts";

type Api = "github" | "gitlab" | "gitea" | "bitbucket";

const PUBLIC: Readonly<Record<string, Api>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "bitbucket.org": "bitbucket",
  "codeberg.org": "gitea",
};

/** The variables from which the CLI of each kind of provider reads its token. */
const VARIABLES: readonly (readonly [RegExp, Api])[] = [
  [/^(GH|GITHUB)_(ENTERPRISE_)?TOKEN$/, "github"],
  [/^(GITLAB|GL)_(ACCESS_)?TOKEN$/, "gitlab"],
  [/^(GITEA|FORGEJO)_(SERVER_)?TOKEN$/, "gitea"],
  [/^BITBUCKET_(ACCESS_)?TOKEN$/, "bitbucket"],
];

/** Returns by which API each provider is asked: null if neither its name nor its variables tell. */
export function hostedApis(providers: readonly HostedProvider[]) {
  return providers.map(({ host, api, token_env }) => {
    const known = VARIABLES.find(([pattern]) => token_env.some((name) => pattern.test(name)))?.[1];
    return { host, url: api?.replace(/\/+$/, "") ?? null, api: PUBLIC[host] ?? known ?? null };
  });
}
