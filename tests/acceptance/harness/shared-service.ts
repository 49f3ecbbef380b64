import type { Api } from "./api.ts";
import { type Berth, type NewToken, startBerth } from "./berth.ts";

/** What a test file may use of a service that others use as well: requests of users of its own organization. */
export interface SharedService {
  readonly url: string;
  /** Returns a client with a new token; by default of the file's owner, a member with every scope. */
  client(options?: Omit<NewToken, "org">): Promise<Api>;
}

/** The service of all files of this process. */
let started: Promise<{ berth: Berth }> | undefined;
let files = 0;

/**
 * Returns a service for one test file, in an organization of its own, and a client of its owner. The files of a
 * process share the service, which has default settings: a file that changes it, stops it, reads its log or
 * counts what all of it has, starts one of its own.
 */
export async function sharedService(): Promise<{ berth: SharedService; api: Api }> {
  files += 1;
  const name = `file${files}`;
  started ??= startBerth();
  const { berth } = await started;
  const client: SharedService["client"] = ({ user = "owner@example.com", ...token } = {}) =>
    berth.client({ ...token, user: `${name}-${user}`, org: name });
  return { berth: { url: berth.url, client }, api: await client() };
}
