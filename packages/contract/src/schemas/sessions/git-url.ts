import { z } from "zod";

const HOSTED_FORM = "Field '{field}' must be of the form 'https://<repo_host>/<org>/<repo>'.";
const GIT_FORM = "Field '{field}' must be of the form 'https://<host>/<path of the repository>'.";
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const host = `(?:${label}\\.)*${label}(?::[1-9][0-9]{0,4})?`;
const segment = "[A-Za-z0-9_.~!$&'()*+,;=:@%-]+";

/**
 * A URL `https://<repo_host>/<org>/<repo>`, without credentials, query or fragment. Whether the host is one
 * of the installation's providers is checked when the session is created.
 */
export const hostedUrl = z
  .string()
  .overwrite((url) => normalUrl(url).replace(/(?<=[^/])\.git$/, ""))
  .max(2048)
  .regex(new RegExp(`^https://${host}/[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_.-]+$`), { error: HOSTED_FORM })
  .refine((url) => !/\/(\.{1,2}|\.git)(\/|$)/.test(url) && namesItsHost(url), { error: HOSTED_FORM })
  .meta({
    description:
      "Stored and returned in normal form: the host in lower case, without a default port, `.git` or slashes at the end.",
  });

/**
 * The URL of a repository on any git server over https, without credentials, query or fragment. The
 * installation allows http for some hosts, which is checked when the session is created.
 */
export const gitUrl = z
  .string()
  .overwrite(normalUrl)
  .max(2048)
  .regex(new RegExp(`^https?://${host}(?:/${segment})+$`), { error: GIT_FORM })
  .refine((url) => hasPlainPath(url) && namesItsHost(url), { error: GIT_FORM })
  .meta({
    description:
      "Without credentials, query and fragment. http only for hosts that the installation allows. Stored and returned in normal form: the host in lower case, without a default port or slashes at the end.",
  });

/** Returns the default directory name of a repository: the last segment of its URL, without `.git`. */
export function repositoryName(url: string): string {
  return (url.split("/").at(-1) ?? "").replace(/\.git$/, "");
}

/**
 * Normalizes a URL: protocol and host in lower case, no default port, no slashes at the end. Text that is not
 * a URL is returned unchanged.
 */
function normalUrl(url: string): string {
  const [, protocol = "", written = "", path = ""] = /^(https?):\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (protocol === "") return url;
  const scheme = protocol.toLowerCase();
  const host = written.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
  return `${scheme}://${host}${path.replace(/\/+$/, "")}`;
}

/** Returns whether the host is a name in normal form, not an IP address, and the port is valid. */
function namesItsHost(url: string): boolean {
  const written = url.replace(/^https?:\/\//, "").replace(/[:/].*$/, "");
  return /[a-z][^.]*$/.test(written) && URL.canParse(url) && new URL(url).hostname === written;
}

/** Returns whether each segment is plain, also percent-decoded, as git decodes it to ask for credentials. */
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
