import type { Api } from "./api.ts";
import { type Berth, startBerth } from "./berth.ts";
import type { NewToken } from "./issue-token.ts";

/** What a test file may use of a service that others use as well. */
export interface SharedService
  extends Pick<Berth, "url" | "dataDir" | "pid" | "log" | "logged" | "command" | "operator"> {
  /** The name of the file's organization. */
  readonly organization: string;
  /** Returns the email address, or the name of a service account, that `client` and `token` use for this one. */
  nameOf(user: string): string;
  /** Returns a new token; by default of the file's owner, a member with every scope. */
  token(options?: NewToken): Promise<string>;
  /** Returns a client with a new token, with the defaults of `token`. */
  client(options?: NewToken): Promise<Api>;
}

/** The service of all files of this process. */
let started: Promise<{ berth: Berth }> | undefined;
let files = 0;

/**
 * Returns a service for one test file, in an organization of its own, and a client of its owner. The files of a
 * process run one after another and share the service, which has default settings. A file that changes what
 * others see, stops the service, or counts what all of it has, starts one of its own. The log has lines of other
 * files, and the runner may be killed: it starts again.
 *
 * Users and organizations of other files may have the same names: those of a file begin with the name of its
 * organization.
 */
export async function sharedService(): Promise<{ berth: SharedService; api: Api }> {
  files += 1;
  const organization = `file${files}`;
  started ??= startBerth();
  const { berth } = await started;
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
