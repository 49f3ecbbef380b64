import { UsageError } from "./failure.ts";

/**
 * The repository's address in the form that the API takes, from what people copy: with or without `.git` or a slash at the end, or
 * `git@host:org/repo.git`. An address with credentials is refused without repeating it.
 */
export function repositoryUrl(given: string): string {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+)$/.exec(given);
  const url = parse(ssh === null ? given : `https://${ssh[1]}/${ssh[2]}`);
  if (url === null) throw new UsageError("--repo must be an address such as https://github.com/org/repo.");
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      "--repo must not hold credentials. Give the token by --token-env or --repo-token-file.",
    );
  }
  return `https://${url.host}${url.pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

function parse(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === "https:" ? url : null;
}
