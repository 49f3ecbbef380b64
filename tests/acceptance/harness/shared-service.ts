import { after } from "node:test";
import type { GitHost } from "../../git-host/git-host.ts";
import { startGitHubHost } from "../../git-host/github-host.ts";
import type { Api } from "./api.ts";
import { type Berth, startBerth } from "./berth.ts";
import type { NewToken } from "./issue-token.ts";
import { providerSettings } from "./provider-settings.ts";

/** A service that several test files share, as one of them sees it. */
export interface SharedService
  extends Pick<Berth, "url" | "dataDir" | "pid" | "log" | "logged" | "command" | "operator"> {
  /** The name of the file's organization. */
  readonly organization: string;
  /**
   * Returns the email address, or the name of a service account, that `client` and `token` use for this one.
   */
  nameOf(user: string): string;
  /** Returns a new token; by default of the file's owner, a member with every scope. */
  token(options?: NewToken): Promise<string>;
  /** Returns a client with a new token, with the defaults of `token`. */
  client(options?: NewToken): Promise<Api>;
}

/** The settings of the services that files share, by kind. `quick` closes a sandbox at the end of each turn. */
const KINDS = {
  default: async () => ({}),
  git: async () => providerSettings(...(await gitHosts())),
  quick: async () => ({ ...providerSettings(...(await gitHosts())), BERTH_SANDBOX_IDLE_SECONDS: "0" }),
};
export type Kind = keyof typeof KINDS;

/** The services of this process. */
const started = new Map<Kind, Promise<{ berth: Berth }>>();
let files = 0;

/**
 * Returns a service for one test file, in an organization of its own, and a client of its owner. The files of a
 * process run one after another and share a service of each kind. A file starts its own service if it changes
 * what others see, stops the service, or counts objects of all organizations. The log has lines of other files
 * too. A file may kill the runner, which starts again.
 *
 * The names of a file's users and organizations begin with the name of its organization, so that files may use
 * the same names.
 */
export async function sharedService(kind: Kind = "default"): Promise<{ berth: SharedService; api: Api }> {
  files += 1;
  const organization = `file${files}`;
  const known = started.get(kind) ?? KINDS[kind]().then((settings) => startBerth({ settings }));
  started.set(kind, known);
  const { berth } = await known;
  const nameOf = (user: string) => `${organization}-${user}`;
  const termsOf = ({ user = "owner@example.com", org, ...token }: NewToken = {}): NewToken => ({
    ...token,
    user: nameOf(user),
    org: org === undefined ? organization : nameOf(org),
  });
  const shared: SharedService = {
    url: berth.url,
    dataDir: berth.dataDir,
    pid: berth.pid,
    get log() {
      return berth.log;
    },
    logged: (text) => berth.logged(text),
    command: (...args) => berth.command(...args),
    operator: () => berth.operator(),
    organization,
    nameOf,
    token: (options) => berth.token(termsOf(options)),
    client: (options) => berth.client(termsOf(options)),
  };
  return { berth: shared, api: await shared.client() };
}

/** Number of git hosts in a process. At least as many as the files of one process that use a git host. */
const HOSTS = 8;
let hosts: Promise<readonly GitHost[]> | undefined;
let hostsTaken = 0;

/** Returns the git hosts of this process. Its services have them as providers from their start. */
function gitHosts(): Promise<readonly GitHost[]> {
  hosts ??= Promise.all(
    Array.from({ length: HOSTS }, async () => {
      const host = await startGitHubHost();
      after(() => host.stop());
      return host;
    }),
  );
  return hosts;
}

/**
 * Returns a shared service like `sharedService`, and a git host for this file alone, which is one of its
 * providers.
 */
export async function sharedGitService(
  kind: "git" | "quick" = "git",
): Promise<{ host: GitHost; berth: SharedService; api: Api }> {
  const host = (await gitHosts())[hostsTaken++];
  if (host === undefined) throw new Error(`More than ${HOSTS} files of one process share a git service.`);
  return { host, ...(await sharedService(kind)) };
}
