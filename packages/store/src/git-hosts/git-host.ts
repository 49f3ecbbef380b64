import type { ConnectionAuth, HostBranch, HostRepository } from "@berth/contract";
import type { Asker } from "./ask-host.ts";
import type { PullConversation } from "./pull-conversation.ts";
import type { PullRequestAnswer, PullRequestQuestion } from "./pull-requests.ts";

/** The host of a connection, with its secret. */
export interface HostAccess {
  /** `https://<host>`. */
  url: string;
  /** Null for a host whose API is not known. */
  apiUrl: string | null;
  auth: ConnectionAuth;
  secret: string;
  /** Whose credential it is, in messages. Default: a connection's. */
  asker?: Asker;
}

/** A part of a list, in the order of the host. `next` is the number of the next one; null after the last. */
export interface HostPage<Item> {
  items: Item[];
  next: number | null;
}

/** What a host's API has about repositories. Pages are counted from 1. All methods reject with GitHostError. */
export interface RepositoryApi {
  /** Returns one sentence that says what the host accepted. */
  check(): Promise<string>;
  /** @param search a part of the name. A host that cannot search returns all. */
  repositories(search: string | null, page: number): Promise<HostPage<HostRepository>>;
  /** @param repository its full name, such as `acme/widget`. */
  branches(repository: string, page: number): Promise<HostPage<HostBranch>>;
  /** Returns the pull or merge requests of branches, with their checks and reviews. */
  pullRequests(question: PullRequestQuestion): Promise<PullRequestAnswer>;
  /** Runs `work` with what following a pull request of a repository needs, which may also write to it. */
  converse<T>(repository: string, work: (pulls: PullConversation) => Promise<T>): Promise<T>;
}

/** A token to make for one repository. */
export interface TokenRequest {
  /** The full name of the repository, such as `acme/widget`. */
  repository: string;
  access: "read_write" | "read_only";
  /** The name of the token at hosts whose tokens have one. It is unique, so that a lost token can be found. */
  name: string;
}

/** A token that a host made, or the connection's own. */
export interface MadeToken {
  token: string;
  /** Null when it does not end by itself. */
  expiresAt: Date | null;
  /** Its id at the host; null when it has none. */
  hostId: string | null;
  /** Whether it was made for the request, and is to be revoked. */
  isOwn: boolean;
}

/** A token to revoke. */
export interface RevokedToken extends Pick<TokenRequest, "repository" | "name"> {
  /** Null when it is not known whether it was made. */
  token: string | null;
  hostId: string | null;
}

/** A git host, reached with a connection's credential. All methods reject with GitHostError. */
export interface GitHost extends RepositoryApi {
  makeToken(request: TokenRequest): Promise<MadeToken>;
  /** Does nothing for a token that has ended or was never made. */
  revokeToken(token: RevokedToken): Promise<void>;
}

/** Returns the methods of an API as an object of their own. */
export function bound(api: RepositoryApi): RepositoryApi {
  return {
    check: () => api.check(),
    repositories: (search, page) => api.repositories(search, page),
    branches: (repository, page) => api.branches(repository, page),
    pullRequests: (question) => api.pullRequests(question),
    converse: (repository, work) => api.converse(repository, work),
  };
}

/** Returns what a host does whose connection's token is that of the sessions. */
export function givesItself(token: string): Pick<GitHost, "makeToken" | "revokeToken"> {
  return {
    makeToken: async () => ({ token, expiresAt: null, hostId: null, isOwn: false }),
    revokeToken: async () => undefined,
  };
}
