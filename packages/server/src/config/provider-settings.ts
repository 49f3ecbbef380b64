/** A service that hosts repositories: what names it in urls, and how its CLI gets its token. */
export interface HostedProvider {
  /** With a port where it is not 443. */
  host: string;
  /** Where its API answers, when its CLI needs another host than `host`. */
  api: string | null;
  /** The variables of the CLI that hold the repository's token. */
  token_env: string[];
  /** Certificates to trust for this host, inside sandboxes too. */
  ca_file: string | null;
}

const knownFields = ["host", "api", "token_env", "ca_file"];

/** Reads `[{"host": …, "token_env": […], "api"?: …, "ca_file"?: …}]`. @throws what is wrong, in words. */
export function parseHostedProviders(text: string): HostedProvider[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new Error("must be a JSON array of providers");
  const providers = value.map(provider);
  const hosts = providers.map(({ host }) => host);
  const twice = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (twice !== undefined) throw new Error(`names ${twice} twice`);
  return providers;
}

/** @throws what is wrong, in words. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("must be JSON");
  }
}

function provider(value: unknown, index: number): HostedProvider {
  const at = `[${index}]`;
  if (typeof value !== "object" || value === null) throw new Error(`${at} must be an object`);
  const unknown = Object.keys(value).find((key) => !knownFields.includes(key));
  if (unknown !== undefined) throw new Error(`${at} has the unknown field ${unknown}`);
  const {
    host,
    api = null,
    token_env: tokenEnv = [],
    ca_file: caFile = null,
  } = value as Record<string, unknown>;
  if (typeof host !== "string" || !isHost(host)) {
    throw new Error(`${at}.host must be a host in lower case, with a port where it is not 443`);
  }
  if (api !== null && (typeof api !== "string" || !/^https:\/\/[^\s/@]+/.test(api))) {
    throw new Error(`${at}.api must be an https address`);
  }
  if (
    !Array.isArray(tokenEnv) ||
    !tokenEnv.every((name) => typeof name === "string" && /^[A-Z_][A-Z0-9_]*$/.test(name))
  ) {
    throw new Error(`${at}.token_env must be a list of variable names`);
  }
  if (caFile !== null && (typeof caFile !== "string" || caFile === "")) {
    throw new Error(`${at}.ca_file must be the name of a file`);
  }
  return { host, api, token_env: tokenEnv, ca_file: caFile };
}

/** As the host of a parsed url would be written: that is what it is compared with. */
export function isHost(text: string, protocol: "https" | "http" = "https"): boolean {
  try {
    return new URL(`${protocol}://${text}/`).host === text;
  } catch {
    return false;
  }
}
