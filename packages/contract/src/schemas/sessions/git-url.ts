import { z } from "zod";

const hostedForm = "Field '{field}' must be of the form 'https://<repo_host>/<org>/<repo>'.";
const gitForm = "Field '{field}' must be of the form 'https://<host>/<path of the repository>'.";
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const host = `(?:${label}\\.)*${label}(?::[1-9][0-9]{0,4})?`;
const segment = "[A-Za-z0-9_.~!$&'()*+,;=:@%-]+";

/**
 * `https://<repo_host>/<org>/<repo>`: no credentials, query, fragment or `.git`. Whether the installation serves the
 * host is checked when the session is created.
 */
export const hostedUrl = z
  .string()
  .max(2048)
  .regex(new RegExp(`^https://${host}/[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_.-]+$`), { error: hostedForm })
  .refine((url) => !url.endsWith(".git"), { error: "Field '{field}' must not end with '.git'." })
  .refine((url) => !/\/\.{1,2}(\/|$)/.test(url) && namesItsHost(url), { error: hostedForm });

/**
 * A repository on any server that speaks git over https, or over http where the installation allows the host, which is
 * checked when the session is created. A path of any depth; no credentials, query or fragment.
 */
export const gitUrl = z
  .string()
  .max(2048)
  .regex(new RegExp(`^https?://${host}(?:/${segment})+$`), { error: gitForm })
  .refine((url) => hasPlainPath(url) && namesItsHost(url), { error: gitForm })
  .meta({
    description: "No credentials, query or fragment. With http only where the installation allows it.",
  });

/** The name that a repository gets on a disk: the last segment of its url, without `.git`. */
export function repositoryName(url: string): string {
  return (url.split("/").at(-1) ?? "").replace(/\.git$/, "");
}

/** The host is a name, not an address in any spelling, and stands as a parser writes it; the port is one. */
function namesItsHost(url: string): boolean {
  const written = url.replace(/^https?:\/\//, "").replace(/[:/].*$/, "");
  return /[a-z][^.]*$/.test(written) && URL.canParse(url) && new URL(url).hostname === written;
}

/** Every segment is one also when it is decoded, as git does before it asks for a credential. */
function hasPlainPath(url: string): boolean {
  return url
    .split("/")
    .slice(3)
    .every((text) => {
      const decoded = decode(text);
      return decoded !== null && !/^\.{1,2}$|[/\\\u0000-\u001f\u007f]/.test(decoded);
    });
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
