// Made from the contract by 'npm run openapi': change the operations there.
import type {
  Agent,
  AuditEntry,
  ConfirmationRule,
  Connection,
  ConsoleLink,
  CreatedOperatorToken,
  CreatedToken,
  CurrentToken,
  Deployment,
  DeploymentRun,
  DeviceAuthorization,
  DeviceCode,
  Environment,
  Erasure,
  File,
  FileResource,
  ForgottenHost,
  ForwardResource,
  Health as HealthObject,
  HeldToken,
  Host,
  HostBranch,
  HostRepository,
  Limits,
  Memory,
  MemoryStore,
  MemoryVersion,
  Model,
  OperatorToken,
  Organization,
  Preview,
  Principals as PrincipalsObject,
  ReleasedSession,
  RepositoryDiff,
  RepositoryResource,
  ResponseOf,
  Retention,
  Runtime,
  routes,
  ServiceAccount,
  Session,
  SessionChanges,
  SessionEvent,
  SessionPullRequests,
  SessionResource,
  Shares,
  Skill,
  SkillVersion,
  Token,
  Trigger,
  TriggerDelivery,
  TriggerWithSecret,
  UsageReport,
  User,
  Vault,
  VaultCredential,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
  Whoami as WhoamiObject,
  WorkspaceEntry,
} from "@berth/contract";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";

type Routes = typeof routes;

/** The methods of each noun of the contract that call one operation and do no more. */
export interface Methods {
  tokens: Tokens;
  deviceAuthorizations: DeviceAuthorizations;
  deviceTokens: DeviceTokens;
  whoami: Whoami;
  principals: Principals;
  consoleLinks: ConsoleLinks;
  agents: Agents;
  models: Models;
  environments: Environments;
  runtimes: Runtimes;
  sessions: Sessions;
  sessionResources: SessionResources;
  workspace: Workspace;
  changes: Changes;
  pullRequests: PullRequests;
  previews: Previews;
  confirmationRules: ConfirmationRules;
  events: Events;
  deployments: Deployments;
  deploymentRuns: DeploymentRuns;
  deploymentTriggers: DeploymentTriggers;
  usage: Usage;
  health: Health;
  files: Files;
  vaults: Vaults;
  vaultCredentials: VaultCredentials;
  connections: Connections;
  webhooks: Webhooks;
  memoryStores: MemoryStores;
  memories: Memories;
  memoryVersions: MemoryVersions;
  skills: Skills;
  forward: Forward;
  adminOrganizations: AdminOrganizations;
  adminUsers: AdminUsers;
  adminServiceAccounts: AdminServiceAccounts;
  adminTokens: AdminTokens;
  adminOperatorTokens: AdminOperatorTokens;
  adminLimits: AdminLimits;
  adminRetention: AdminRetention;
  adminErasures: AdminErasures;
  adminDeviceAuthorizations: AdminDeviceAuthorizations;
  adminHosts: AdminHosts;
  adminSessions: AdminSessions;
  adminAuditEntries: AdminAuditEntries;
}

export interface Tokens {
  /** Create a token. `token` of the response is the secret, which is returned only once. */
  create(body: Body<Routes["tokens"]["create"]>, options?: CallOptions): ApiPromise<CreatedToken>;
  /** List tokens. */
  list(query?: Query<Routes["tokens"]["list"]>, options?: CallOptions): PagedList<Token>;
  /** Get the token of the request, and its owner. Accepts any valid token. */
  current(options?: CallOptions): ApiPromise<CurrentToken>;
  /** Revoke a token and its descendants. Takes effect at once. Independent descendants are kept. */
  delete(token_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["tokens"]["delete"]>>;
}

export interface DeviceAuthorizations {
  /** Request a token that a user approves elsewhere. Needs no token. */
  create(body: Body<Routes["deviceAuthorizations"]["create"]>, options?: CallOptions): ApiPromise<DeviceCode>;
  /** Get a login by its user code. */
  lookup(
    body: Body<Routes["deviceAuthorizations"]["lookup"]>,
    options?: CallOptions,
  ): ApiPromise<DeviceAuthorization>;
  /** Approve a login by its user code. The token belongs to the user who approves it. */
  approve(
    body: Body<Routes["deviceAuthorizations"]["approve"]>,
    options?: CallOptions,
  ): ApiPromise<DeviceAuthorization>;
  /** Deny a login by its user code. */
  deny(
    body: Body<Routes["deviceAuthorizations"]["deny"]>,
    options?: CallOptions,
  ): ApiPromise<DeviceAuthorization>;
}

export interface DeviceTokens {
  /**
   * Get the requested token, once it is approved. Needs no token. Checks once, and returns the token only
   * once. `error.code` says what to do: ask again for `authorization_pending`, and five seconds slower for
   * `slow_down`.
   *
   * @throws ConflictError Nobody has approved or denied the login yet: `error.code` is
   * `authorization_pending`.
   */
  create(body: Body<Routes["deviceTokens"]["create"]>, options?: CallOptions): ApiPromise<CreatedToken>;
}

export interface Whoami {
  /** Get the caller and their permissions. Accepts any valid token. */
  get(options?: CallOptions): ApiPromise<WhoamiObject>;
}

export interface Principals {
  /** Get the names of users and service accounts. Those of the organization, by id. Accepts any valid token. */
  get(query: Query<Routes["principals"]["get"]>, options?: CallOptions): ApiPromise<PrincipalsObject>;
}

export interface ConsoleLinks {
  /** Create a link that signs in to the console once. It signs in as the token's user, within 60 seconds. */
  create(options?: CallOptions): ApiPromise<ConsoleLink>;
}

export interface Agents {
  /** Create an agent. */
  create(body: Body<Routes["agents"]["create"]>, options?: CallOptions): ApiPromise<Agent>;
  /** List agents. */
  list(query?: Query<Routes["agents"]["list"]>, options?: CallOptions): PagedList<Agent>;
  /** Get an agent. Returns the newest version, or the `version` of the query. */
  get(agent_id: string, query?: Query<Routes["agents"]["get"]>, options?: CallOptions): ApiPromise<Agent>;
  /**
   * Update an agent. Creates the next version, if the request changes something. `version` must be the
   * newest, so that no concurrent update is lost. Omitted fields keep their value, null clears a field, and
   * lists are replaced as a whole.
   *
   * @throws ConflictError `version` is not the newest version of the agent.
   */
  update(agent_id: string, body: Body<Routes["agents"]["update"]>, options?: CallOptions): ApiPromise<Agent>;
  /**
   * Delete an agent.
   *
   * @throws ConflictError A session was created with the agent.
   */
  delete(agent_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["agents"]["delete"]>>;
  /** Share an agent with a user or the organization. Replaces what was shared with them before. */
  share(agent_id: string, body: Body<Routes["agents"]["share"]>, options?: CallOptions): ApiPromise<Shares>;
  /** Stop sharing an agent. */
  unshare(
    agent_id: string,
    query?: Query<Routes["agents"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom an agent is shared. */
  shares(agent_id: string, options?: CallOptions): ApiPromise<Shares>;
  /** Archive an agent. Cannot be undone. It stays readable, but takes no changes or new sessions. */
  archive(agent_id: string, options?: CallOptions): ApiPromise<Agent>;
  /** List an agent's versions. Newest first. */
  versions(
    agent_id: string,
    query?: Query<Routes["agents"]["versions"]>,
    options?: CallOptions,
  ): PagedList<Agent>;
}

export interface Models {
  /** List the models that agents can use. */
  list(query?: Query<Routes["models"]["list"]>, options?: CallOptions): PagedList<Model>;
}

export interface Environments {
  /**
   * Create an environment.
   *
   * @throws ConflictError The owner has an environment with this name.
   */
  create(body: Body<Routes["environments"]["create"]>, options?: CallOptions): ApiPromise<Environment>;
  /** List environments. */
  list(query?: Query<Routes["environments"]["list"]>, options?: CallOptions): PagedList<Environment>;
  /** Get an environment. */
  get(environment_id: string, options?: CallOptions): ApiPromise<Environment>;
  /**
   * Update an environment. Omitted fields keep their value, at every depth; null restores the default; hosts
   * and variables are replaced as a whole. In a session, variables and credentials change with the next
   * command, networking with the next turn, and the rest when its sandbox is next opened.
   *
   * @throws ConflictError The owner has an environment with this name.
   */
  update(
    environment_id: string,
    body: Body<Routes["environments"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Environment>;
  /**
   * Delete an environment.
   *
   * @throws ConflictError A session that is not terminated uses the environment.
   */
  delete(
    environment_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["environments"]["delete"]>>;
  /** Share an environment with a user or the organization. Replaces what was shared with them before. */
  share(
    environment_id: string,
    body: Body<Routes["environments"]["share"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Stop sharing an environment. */
  unshare(
    environment_id: string,
    query?: Query<Routes["environments"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom an environment is shared. */
  shares(environment_id: string, options?: CallOptions): ApiPromise<Shares>;
  /** Archive an environment. Cannot be undone. It stays readable, but takes no changes or new sessions. */
  archive(environment_id: string, options?: CallOptions): ApiPromise<Environment>;
}

export interface Runtimes {
  /** List the runtimes that environments can choose. */
  list(query?: Query<Routes["runtimes"]["list"]>, options?: CallOptions): PagedList<Runtime>;
}

export interface Sessions {
  /**
   * Create a session. Returns at once: repositories are cloned in the background.
   *
   * @throws ConflictError The agent or the environment is archived, or a file is not ready.
   */
  create(body: Body<Routes["sessions"]["create"]>, options?: CallOptions): ApiPromise<Session>;
  /** List sessions. */
  list(query?: Query<Routes["sessions"]["list"]>, options?: CallOptions): PagedList<Session>;
  /** Get a session. */
  get(session_id: string, options?: CallOptions): ApiPromise<Session>;
  /**
   * Update a session. Omitted fields keep their value. Null removes a pair of the metadata.
   *
   * @throws ConflictError The session is terminated.
   */
  update(
    session_id: string,
    body: Body<Routes["sessions"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Session>;
  /**
   * Delete a session. Deletes its disk, too, but not its files.
   *
   * @throws ConflictError The session is running.
   */
  delete(session_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["sessions"]["delete"]>>;
  /** Share a session with a user or the organization. Replaces what was shared with them before. */
  share(
    session_id: string,
    body: Body<Routes["sessions"]["share"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Stop sharing a session. */
  unshare(
    session_id: string,
    query?: Query<Routes["sessions"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom a session is shared. */
  shares(session_id: string, options?: CallOptions): ApiPromise<Shares>;
  /**
   * Cancel the running turn. The session can be continued.
   *
   * @throws ConflictError The session is terminated.
   */
  cancel(session_id: string, options?: CallOptions): ApiPromise<Session>;
  /** Archive a session. Makes it read-only. */
  archive(session_id: string, options?: CallOptions): ApiPromise<Session>;
  /**
   * Release a session that is set aside. Its turns run again. Does nothing for a session that is not set
   * aside.
   *
   * @throws ConflictError The session is terminated.
   */
  release(session_id: string, options?: CallOptions): ApiPromise<Session>;
  /**
   * Terminate a session. Ends it and its sandbox forever.
   *
   * @throws ConflictError The session is terminated.
   */
  terminate(session_id: string, options?: CallOptions): ApiPromise<Session>;
  /**
   * Mark a session as seen by the caller. `unseen` is false until its next turn ends. Others keep their own
   * marks.
   */
  markSeen(session_id: string, options?: CallOptions): ApiPromise<Session>;
  /**
   * Mark a session as unseen by the caller. Puts it on the caller's desk, if it is not there yet.
   *
   * @throws ConflictError The session is terminated.
   */
  markUnseen(session_id: string, options?: CallOptions): ApiPromise<Session>;
}

export interface SessionResources {
  /**
   * Add a file to a session.
   *
   * @throws InvalidRequestError The session is archived or terminated, the file is not ready, or it is
   * already mounted in the session.
   */
  add(
    session_id: string,
    body: Body<Routes["sessionResources"]["add"]>,
    options?: CallOptions,
  ): ApiPromise<FileResource>;
  /** List a session's resources. */
  list(
    session_id: string,
    query?: Query<Routes["sessionResources"]["list"]>,
    options?: CallOptions,
  ): PagedList<SessionResource>;
  /** Get a session resource. */
  get(session_id: string, resource_id: string, options?: CallOptions): ApiPromise<SessionResource>;
  /**
   * Remove a file from a session. Removes it from the sandbox, too.
   *
   * @throws ConflictError The session is terminated.
   */
  delete(
    session_id: string,
    resource_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["sessionResources"]["delete"]>>;
  /**
   * Rotate a repository's token or password, or try a failed clone again. The agent's next command uses the
   * new one.
   *
   * @throws ConflictError The session is terminated.
   * @throws ConflictError `retry` is for a repository whose clone has failed.
   */
  rotate(
    session_id: string,
    resource_id: string,
    body: Body<Routes["sessionResources"]["rotate"]>,
    options?: CallOptions,
  ): ApiPromise<RepositoryResource>;
}

export interface Workspace {
  /**
   * List a directory of a session's sandbox. Lists `/data` by default. Opens the sandbox if it is closed.
   *
   * @throws ConflictError The session has no disk: it has not run a command yet, it has ended, or its disk
   * was reclaimed after inactivity.
   */
  list(
    session_id: string,
    query?: Query<Routes["workspace"]["list"]>,
    options?: CallOptions,
  ): PagedList<WorkspaceEntry>;
  /**
   * Get the content of a file in a session's sandbox. The body of the response is unread: read it with
   * `bytes()`, `text()` or `blob()`.
   *
   * @throws ConflictError The session has no disk: it has not run a command yet, it has ended, or its disk
   * was reclaimed after inactivity.
   * @throws ConflictError The file changed while it was read.
   */
  content(
    session_id: string,
    query: Query<Routes["workspace"]["content"]>,
    options?: CallOptions,
  ): Promise<Response>;
}

export interface Changes {
  /**
   * Get the changes in a session's repositories. Returns branch, commits and files of each repository, since
   * it was cloned.
   *
   * @throws ConflictError The session has no disk: it has not run a command yet, it has ended, or its disk
   * was reclaimed after inactivity.
   */
  get(session_id: string, options?: CallOptions): ApiPromise<SessionChanges>;
  /**
   * Get the diff of a session's repository. Without `path`, that of all files. `truncated` says that it was
   * cut.
   *
   * @throws ConflictError The session has no disk: it has not run a command yet, it has ended, or its disk
   * was reclaimed after inactivity.
   * @throws ConflictError The repository is not cloned, or cannot be compared with the commit that was
   * cloned.
   */
  diff(
    session_id: string,
    resource_id: string,
    query?: Query<Routes["changes"]["diff"]>,
    options?: CallOptions,
  ): ApiPromise<RepositoryDiff>;
}

export interface PullRequests {
  /**
   * Get the pull requests of a session's branches. State, checks and reviews, as the host of each repository
   * says. The host is asked with the session's own credential, or by its connection, once for all who ask at
   * the same time. If it fails, `error` says why, and what it said before stays. After the session has ended,
   * only connections are asked.
   */
  get(
    session_id: string,
    query?: Query<Routes["pullRequests"]["get"]>,
    options?: CallOptions,
  ): ApiPromise<SessionPullRequests>;
}

export interface Previews {
  /**
   * Open a port of a session's sandbox in browsers. Returns an address of its own for the port. It opens no
   * sandbox and starts no program, and asks for nothing on the port.
   *
   * @throws ConflictError The session is archived or terminated.
   * @throws ConflictError The session already has 20 previews.
   */
  create(
    session_id: string,
    body: Body<Routes["previews"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<Preview>;
  /** List a session's previews. Those that have not expired. */
  list(
    session_id: string,
    query?: Query<Routes["previews"]["list"]>,
    options?: CallOptions,
  ): PagedList<Preview>;
  /** Get a preview. */
  get(session_id: string, preview_id: string, options?: CallOptions): ApiPromise<Preview>;
  /** End a preview. Its open connections are closed, and its address works no longer. */
  delete(
    session_id: string,
    preview_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["previews"]["delete"]>>;
}

export interface ConfirmationRules {
  /**
   * Allow calls of a tool in a session without a confirmation. What the agent's permission policy denies
   * stays denied. Returns the rule that the session has if it has this one already; at most 100.
   *
   * @throws ConflictError The session is terminated.
   */
  create(
    session_id: string,
    body: Body<Routes["confirmationRules"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<ConfirmationRule>;
  /**
   * List a session's confirmation rules. By a rule, calls that would wait for a confirmation run at once. A
   * `user.tool_confirmation` with `always` adds one, too.
   */
  list(
    session_id: string,
    query?: Query<Routes["confirmationRules"]["list"]>,
    options?: CallOptions,
  ): PagedList<ConfirmationRule>;
  /**
   * Revoke a confirmation rule. Calls that the rule has allowed are not stopped. Later ones wait for a
   * confirmation again.
   *
   * @throws ConflictError The session is terminated.
   */
  delete(
    session_id: string,
    rule_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["confirmationRules"]["delete"]>>;
}

export interface Events {
  /**
   * Send events to a session. Appends 1 to 50 events, all or none. Returns them as they were stored.
   *
   * @throws ConflictError The session is terminated.
   * @throws ConflictError A confirmation or a result is for a tool call that is no longer waiting: it was
   * already answered or interrupted.
   * @throws ConflictError With the message, more than 16 MiB of messages would wait in the session.
   * @throws ConflictError A message is sent while the session is set aside.
   */
  send(
    session_id: string,
    body: Body<Routes["events"]["send"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["events"]["send"]>>;
  /** List a session's events. */
  list(
    session_id: string,
    query?: Query<Routes["events"]["list"]>,
    options?: CallOptions,
  ): PagedList<SessionEvent>;
}

export interface Deployments {
  /**
   * Create a deployment. It creates sessions by its schedule, or with `run`, each as a session of its owner
   * with the rights that the owner has at that time. What it refers to is checked as for a session.
   *
   * @throws ConflictError The agent, the environment or a vault is archived, or a file is not ready.
   */
  create(body: Body<Routes["deployments"]["create"]>, options?: CallOptions): ApiPromise<Deployment>;
  /** List deployments. */
  list(query?: Query<Routes["deployments"]["list"]>, options?: CallOptions): PagedList<Deployment>;
  /** Get a deployment. */
  get(deployment_id: string, options?: CallOptions): ApiPromise<Deployment>;
  /**
   * Update a deployment. Omitted fields keep their value. Null clears a field, and lists are replaced as a
   * whole. Sessions that it has created stay as they are.
   *
   * @throws ConflictError The agent, the environment or a vault is archived, or a file is not ready.
   */
  update(
    deployment_id: string,
    body: Body<Routes["deployments"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Deployment>;
  /** Share a deployment with a user or the organization. Replaces what was shared with them before. */
  share(
    deployment_id: string,
    body: Body<Routes["deployments"]["share"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Stop sharing a deployment. */
  unshare(
    deployment_id: string,
    query?: Query<Routes["deployments"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom a deployment is shared. */
  shares(deployment_id: string, options?: CallOptions): ApiPromise<Shares>;
  /** Pause a deployment. Its schedule does not run. `run` still works. For those with the access `write`, too. */
  pause(deployment_id: string, options?: CallOptions): ApiPromise<Deployment>;
  /**
   * Unpause a deployment. Its schedule runs from now on: what it would have run meanwhile is not made up for.
   * What a service account unpauses acts as that account. For those with the access `write`, too.
   */
  unpause(deployment_id: string, options?: CallOptions): ApiPromise<Deployment>;
  /**
   * Run a deployment now. Creates a session and returns the run, with an `error` if the session could not be
   * created. Also works while it is paused. For those with the access `write`, too: the session is its
   * owner's, and shared as the deployment is.
   */
  run(deployment_id: string, options?: CallOptions): ApiPromise<DeploymentRun>;
  /** Archive a deployment. Cannot be undone. It stays readable, but runs no more. */
  archive(deployment_id: string, options?: CallOptions): ApiPromise<Deployment>;
  /** List the runs of a deployment. */
  runs(
    deployment_id: string,
    query?: Query<Routes["deployments"]["runs"]>,
    options?: CallOptions,
  ): PagedList<DeploymentRun>;
}

export interface DeploymentRuns {
  /** List runs of deployments. Those of the caller's own deployments, or of the one that the query names. */
  list(query?: Query<Routes["deploymentRuns"]["list"]>, options?: CallOptions): PagedList<DeploymentRun>;
  /** Get a run of a deployment. */
  get(deployment_run_id: string, options?: CallOptions): ApiPromise<DeploymentRun>;
}

export interface DeploymentTriggers {
  /**
   * Add a trigger to a deployment. Answers with the address to which the sender sends what happens, and with
   * the `secret` by which it signs, which is returned only once.
   *
   * @throws ConflictError The deployment is archived, or has 32 triggers.
   */
  create(
    deployment_id: string,
    body: Body<Routes["deploymentTriggers"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<TriggerWithSecret>;
  /** List the triggers of a deployment. */
  list(
    deployment_id: string,
    query?: Query<Routes["deploymentTriggers"]["list"]>,
    options?: CallOptions,
  ): PagedList<Trigger>;
  /** Get a trigger of a deployment. */
  get(deployment_id: string, trigger_id: string, options?: CallOptions): ApiPromise<Trigger>;
  /**
   * Update a trigger of a deployment. Omitted fields keep their value. Null clears a field, or restores its
   * default. The type cannot be changed.
   */
  update(
    deployment_id: string,
    trigger_id: string,
    body: Body<Routes["deploymentTriggers"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Trigger>;
  /** Delete a trigger of a deployment. Its address takes nothing any more. */
  delete(
    deployment_id: string,
    trigger_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["deploymentTriggers"]["delete"]>>;
  /** List what a trigger was sent. Newest first, for thirty days. */
  deliveries(
    deployment_id: string,
    trigger_id: string,
    query?: Query<Routes["deploymentTriggers"]["deliveries"]>,
    options?: CallOptions,
  ): PagedList<TriggerDelivery>;
}

export interface Usage {
  /**
   * Get the usage of sessions, by day or by another group. Counts the sessions that the token can access, in
   * up to 366 days (UTC). Default: by day, for the last 30 days.
   */
  get(query?: Query<Routes["usage"]["get"]>, options?: CallOptions): ApiPromise<UsageReport>;
}

export interface Health {
  /** Get the health of the installation. Returns failed checks, hosts, sessions and disks. Only for admins. */
  get(options?: CallOptions): ApiPromise<HealthObject>;
}

export interface Files {
  /** List files. */
  list(query?: Query<Routes["files"]["list"]>, options?: CallOptions): PagedList<File>;
  /** Get a file. */
  get(file_id: string, options?: CallOptions): ApiPromise<File>;
  /**
   * Delete a file.
   *
   * @throws ConflictError The file is mounted in a session that is neither archived nor terminated.
   */
  delete(file_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["files"]["delete"]>>;
  /** Share a file with a user or the organization. Replaces what was shared with them before. */
  share(file_id: string, body: Body<Routes["files"]["share"]>, options?: CallOptions): ApiPromise<Shares>;
  /** Stop sharing a file. */
  unshare(
    file_id: string,
    query?: Query<Routes["files"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom a file is shared. */
  shares(file_id: string, options?: CallOptions): ApiPromise<Shares>;
  /**
   * Get a file's content. The body of the response is unread: read it with `bytes()`, `text()` or `blob()`.
   *
   * @throws ConflictError The file is not ready.
   */
  content(file_id: string, options?: CallOptions): Promise<Response>;
}

export interface Vaults {
  /** Create a vault. */
  create(body: Body<Routes["vaults"]["create"]>, options?: CallOptions): ApiPromise<Vault>;
  /** List vaults. */
  list(query?: Query<Routes["vaults"]["list"]>, options?: CallOptions): PagedList<Vault>;
  /** Get a vault. */
  get(vault_id: string, options?: CallOptions): ApiPromise<Vault>;
  /** Update a vault. Omitted fields keep their value. */
  update(vault_id: string, body: Body<Routes["vaults"]["update"]>, options?: CallOptions): ApiPromise<Vault>;
  /**
   * Delete a vault. Deletes its credentials, too.
   *
   * @throws ConflictError A session that is neither archived nor terminated uses the vault.
   */
  delete(vault_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["vaults"]["delete"]>>;
  /** Share a vault with a user or the organization. Replaces what was shared with them before. */
  share(vault_id: string, body: Body<Routes["vaults"]["share"]>, options?: CallOptions): ApiPromise<Shares>;
  /** Stop sharing a vault. */
  unshare(
    vault_id: string,
    query?: Query<Routes["vaults"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom a vault is shared. */
  shares(vault_id: string, options?: CallOptions): ApiPromise<Shares>;
  /** Archive a vault. Archives its credentials, too. Cannot be undone: their secrets are destroyed. */
  archive(vault_id: string, options?: CallOptions): ApiPromise<Vault>;
}

export interface VaultCredentials {
  /**
   * Add a credential to a vault.
   *
   * @throws ConflictError The vault is full, or it has a credential for this server or with this name.
   */
  create(
    vault_id: string,
    body: Body<Routes["vaultCredentials"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<VaultCredential>;
  /** List a vault's credentials. */
  list(
    vault_id: string,
    query?: Query<Routes["vaultCredentials"]["list"]>,
    options?: CallOptions,
  ): PagedList<VaultCredential>;
  /** Get a credential. */
  get(vault_id: string, credential_id: string, options?: CallOptions): ApiPromise<VaultCredential>;
  /**
   * Update a credential, or rotate its secret. Omitted fields keep their value. Sessions use a new secret
   * from their next call on. The server or the variable of a credential cannot be changed.
   */
  update(
    vault_id: string,
    credential_id: string,
    body: Body<Routes["vaultCredentials"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<VaultCredential>;
  /** Delete a credential. */
  delete(
    vault_id: string,
    credential_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["vaultCredentials"]["delete"]>>;
  /**
   * Archive a credential. Cannot be undone: the secret is destroyed. Another credential can then have its
   * server or name.
   */
  archive(vault_id: string, credential_id: string, options?: CallOptions): ApiPromise<VaultCredential>;
}

export interface Connections {
  /**
   * Create a connection to a git host. Stores the credential by which sessions get tokens for repositories of
   * the host. The host is not asked: `test` does that.
   */
  create(body: Body<Routes["connections"]["create"]>, options?: CallOptions): ApiPromise<Connection>;
  /** List connections to git hosts. */
  list(query?: Query<Routes["connections"]["list"]>, options?: CallOptions): PagedList<Connection>;
  /** Get a connection. */
  get(connection_id: string, options?: CallOptions): ApiPromise<Connection>;
  /**
   * Update a connection, or rotate its secret. Omitted fields keep their value. The host and the type cannot
   * be changed. Sessions get tokens by a new secret from their next command on.
   */
  update(
    connection_id: string,
    body: Body<Routes["connections"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Connection>;
  /**
   * Delete a connection.
   *
   * @throws ConflictError A session that is neither archived nor terminated uses the connection, or a token
   * that it made for one is still to be revoked.
   */
  delete(
    connection_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["connections"]["delete"]>>;
  /** Test a connection. Asks the host whether it accepts the credential. `message` says what is wrong. */
  test(connection_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["connections"]["test"]>>;
  /**
   * List the repositories that a connection reaches. In the order of the host.
   *
   * @throws ConflictError The host does not answer, or rejects the connection; the message says why.
   */
  repositories(
    connection_id: string,
    query?: Query<Routes["connections"]["repositories"]>,
    options?: CallOptions,
  ): PagedList<HostRepository>;
  /**
   * List the branches of a repository. In the order of the host.
   *
   * @throws ConflictError The host does not answer, or rejects the connection; the message says why.
   */
  branches(
    connection_id: string,
    query: Query<Routes["connections"]["branches"]>,
    options?: CallOptions,
  ): PagedList<HostBranch>;
}

export interface Webhooks {
  /**
   * Create a webhook. `secret` of the response is the key by which its receiver verifies requests. It is
   * returned only once. An owner has at most 32 webhooks.
   *
   * @throws ConflictError The owner has 32 webhooks.
   * @throws ConflictError The installation has no relay for mail.
   */
  create(body: Body<Routes["webhooks"]["create"]>, options?: CallOptions): ApiPromise<WebhookWithSecret>;
  /** List webhooks. */
  list(query?: Query<Routes["webhooks"]["list"]>, options?: CallOptions): PagedList<Webhook>;
  /** Get a webhook. */
  get(webhook_id: string, options?: CallOptions): ApiPromise<Webhook>;
  /** Update a webhook. Omitted fields keep their value. The format and the owner cannot be changed. */
  update(
    webhook_id: string,
    body: Body<Routes["webhooks"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Webhook>;
  /** Delete a webhook. Deletes its deliveries, too. What is pending is not sent. */
  delete(webhook_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["webhooks"]["delete"]>>;
  /** Enable a webhook. Sends what was pending when it was disabled. What happened since is not sent. */
  enable(webhook_id: string, options?: CallOptions): ApiPromise<Webhook>;
  /** Disable a webhook. Nothing is sent, and nothing that happens is kept to be sent later. */
  disable(webhook_id: string, options?: CallOptions): ApiPromise<Webhook>;
  /**
   * Test a webhook. Sends an event of the type `webhook.test` once, also if the webhook is disabled, and
   * waits for the answer. `message` says what is wrong.
   */
  test(webhook_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["webhooks"]["test"]>>;
  /**
   * Rotate a webhook's secret. For 24 hours requests are signed with both, the new one first.
   *
   * @throws ConflictError The webhook signs nothing: its format is not `standard`.
   */
  rotateSecret(webhook_id: string, options?: CallOptions): ApiPromise<WebhookWithSecret>;
  /** List a webhook's deliveries. Those of the last 30 days. */
  deliveries(
    webhook_id: string,
    query?: Query<Routes["webhooks"]["deliveries"]>,
    options?: CallOptions,
  ): PagedList<WebhookDelivery>;
  /**
   * Deliver an event again. At once, and with all tries, whatever became of it. The receiver gets the same
   * `webhook-id`.
   *
   * @throws ConflictError The webhook is disabled.
   */
  redeliver(webhook_id: string, delivery_id: string, options?: CallOptions): ApiPromise<WebhookDelivery>;
}

export interface MemoryStores {
  /** Create a memory store. */
  create(body: Body<Routes["memoryStores"]["create"]>, options?: CallOptions): ApiPromise<MemoryStore>;
  /** List memory stores. */
  list(query?: Query<Routes["memoryStores"]["list"]>, options?: CallOptions): PagedList<MemoryStore>;
  /** Get a memory store. */
  get(memory_store_id: string, options?: CallOptions): ApiPromise<MemoryStore>;
  /**
   * Update a memory store. Omitted fields keep their value. Sessions keep the name and description that the
   * store had when they were created.
   */
  update(
    memory_store_id: string,
    body: Body<Routes["memoryStores"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<MemoryStore>;
  /**
   * Delete a memory store with its memories.
   *
   * @throws ConflictError The store is mounted in a session that is neither terminated nor archived.
   */
  delete(
    memory_store_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["memoryStores"]["delete"]>>;
  /** Share a memory store with a user or the organization. Replaces what was shared with them before. */
  share(
    memory_store_id: string,
    body: Body<Routes["memoryStores"]["share"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Stop sharing a memory store. */
  unshare(
    memory_store_id: string,
    query?: Query<Routes["memoryStores"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom a memory store is shared. */
  shares(memory_store_id: string, options?: CallOptions): ApiPromise<Shares>;
  /**
   * Archive a memory store. Cannot be undone. The store and its memories stay readable, but cannot be
   * changed.
   */
  archive(memory_store_id: string, options?: CallOptions): ApiPromise<MemoryStore>;
}

export interface Memories {
  /**
   * Create a memory.
   *
   * @throws ConflictError Another memory has this path, or one path is a directory of the other, or the store
   * holds 2,000 memories.
   */
  create(
    memory_store_id: string,
    body: Body<Routes["memories"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<Memory>;
  /** List a store's memories without their content. */
  list(
    memory_store_id: string,
    query?: Query<Routes["memories"]["list"]>,
    options?: CallOptions,
  ): PagedList<Memory>;
  /** Get a memory. */
  get(memory_store_id: string, memory_id: string, options?: CallOptions): ApiPromise<Memory>;
  /**
   * Update a memory. Omitted fields keep their value. A request that changes nothing creates no version.
   *
   * @throws ConflictError The content does not have the hash that the request expects.
   * @throws ConflictError Another memory has this path, or one path is a directory of the other.
   */
  update(
    memory_store_id: string,
    memory_id: string,
    body: Body<Routes["memories"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Memory>;
  /**
   * Delete a memory. Its versions are kept.
   *
   * @throws ConflictError The content does not have the hash that the request expects.
   */
  delete(
    memory_store_id: string,
    memory_id: string,
    query?: Query<Routes["memories"]["delete"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["memories"]["delete"]>>;
}

export interface MemoryVersions {
  /** List the versions of a store's memories. Without their content. */
  list(
    memory_store_id: string,
    query?: Query<Routes["memoryVersions"]["list"]>,
    options?: CallOptions,
  ): PagedList<MemoryVersion>;
  /** Get a memory version. */
  get(memory_store_id: string, memory_version_id: string, options?: CallOptions): ApiPromise<MemoryVersion>;
  /**
   * Redact a memory version. Removes path, content, hash and size forever; the version stays.
   *
   * @throws ConflictError The version is the newest one of an existing memory.
   */
  redact(
    memory_store_id: string,
    memory_version_id: string,
    options?: CallOptions,
  ): ApiPromise<MemoryVersion>;
}

export interface Skills {
  /** List skills. */
  list(query?: Query<Routes["skills"]["list"]>, options?: CallOptions): PagedList<Skill>;
  /** Get a skill. */
  get(skill_id: string, options?: CallOptions): ApiPromise<Skill>;
  /** Update a skill's title and metadata. Omitted fields keep their value. */
  update(skill_id: string, body: Body<Routes["skills"]["update"]>, options?: CallOptions): ApiPromise<Skill>;
  /**
   * Delete a skill with all its versions.
   *
   * @throws ConflictError The skill is in use: an agent that is not archived uses it, or a session that is
   * not terminated was created with it.
   */
  delete(skill_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["skills"]["delete"]>>;
  /** Share a skill with a user or the organization. Replaces what was shared with them before. */
  share(skill_id: string, body: Body<Routes["skills"]["share"]>, options?: CallOptions): ApiPromise<Shares>;
  /** Stop sharing a skill. */
  unshare(
    skill_id: string,
    query?: Query<Routes["skills"]["unshare"]>,
    options?: CallOptions,
  ): ApiPromise<Shares>;
  /** Get with whom a skill is shared. */
  shares(skill_id: string, options?: CallOptions): ApiPromise<Shares>;
  /**
   * Archive a skill. Cannot be undone. Agents and sessions that have the skill keep it, but it cannot be
   * added to others.
   */
  archive(skill_id: string, options?: CallOptions): ApiPromise<Skill>;
  /** List a skill's versions. Newest first. */
  versions(
    skill_id: string,
    query?: Query<Routes["skills"]["versions"]>,
    options?: CallOptions,
  ): PagedList<SkillVersion>;
  /** Get a version of a skill. `version` is its number or its id. */
  getVersion(skill_id: string, version: number | string, options?: CallOptions): ApiPromise<SkillVersion>;
  /**
   * Get the content of a file in a version of a skill. Returns it as an attachment; with `Range` a part of
   * it. The body of the response is unread: read it with `bytes()`, `text()` or `blob()`.
   */
  content(
    skill_id: string,
    version: number | string,
    query: Query<Routes["skills"]["content"]>,
    options?: CallOptions,
  ): Promise<Response>;
  /**
   * Delete a version of a skill.
   *
   * @throws ConflictError It is the skill's only version, or it is in use: an agent that is not archived uses
   * it, or a session that is not terminated was created with it.
   */
  deleteVersion(
    skill_id: string,
    version: number | string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["skills"]["deleteVersion"]>>;
}

export interface Forward {
  /** Register a resource. */
  register(
    body: Body<Routes["forward"]["register"]>,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["forward"]["register"]>>;
  /** List the resources that the caller registered. Without those that are deleted, archived or inaccessible. */
  list(query: Query<Routes["forward"]["list"]>, options?: CallOptions): PagedList<ForwardResource>;
}

export interface AdminOrganizations {
  /**
   * Create an organization.
   *
   * @throws ConflictError An organization with this name exists.
   */
  create(body: Body<Routes["adminOrganizations"]["create"]>, options?: CallOptions): ApiPromise<Organization>;
  /** List organizations. */
  list(query?: Query<Routes["adminOrganizations"]["list"]>, options?: CallOptions): PagedList<Organization>;
  /**
   * Rename an organization, or change its settings. Omitted fields keep their value.
   *
   * @throws ConflictError An organization with this name exists.
   */
  update(
    organization_id: string,
    body: Body<Routes["adminOrganizations"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Organization>;
}

export interface AdminUsers {
  /**
   * Create a user, without a token.
   *
   * @throws ConflictError A user with this email address exists, or the organization is being erased.
   */
  create(body: Body<Routes["adminUsers"]["create"]>, options?: CallOptions): ApiPromise<User>;
  /** List users. */
  list(query?: Query<Routes["adminUsers"]["list"]>, options?: CallOptions): PagedList<User>;
  /**
   * Set a user's role. It takes effect with the next request.
   *
   * @throws ConflictError An admin asks, and the user is the only admin of the organization.
   */
  update(
    user_id: string,
    body: Body<Routes["adminUsers"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<User>;
  /**
   * Disable a user, whose tokens are then rejected.
   *
   * @throws ConflictError An admin asks, and the user is the only admin of the organization.
   */
  disable(user_id: string, options?: CallOptions): ApiPromise<User>;
  /**
   * Enable a user.
   *
   * @throws ConflictError The user is being erased.
   */
  enable(user_id: string, options?: CallOptions): ApiPromise<User>;
}

export interface AdminServiceAccounts {
  /**
   * Create a service account, without a token.
   *
   * @throws ConflictError The organization has a service account with this name, or is being erased.
   */
  create(
    body: Body<Routes["adminServiceAccounts"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<ServiceAccount>;
  /** List service accounts. */
  list(
    query?: Query<Routes["adminServiceAccounts"]["list"]>,
    options?: CallOptions,
  ): PagedList<ServiceAccount>;
  /** Disable a service account, whose tokens are then rejected. */
  disable(service_account_id: string, options?: CallOptions): ApiPromise<ServiceAccount>;
  /**
   * Enable a service account.
   *
   * @throws ConflictError The organization is being erased.
   */
  enable(service_account_id: string, options?: CallOptions): ApiPromise<ServiceAccount>;
}

export interface AdminTokens {
  /**
   * Create a token of a user or of a service account. `token` of the response is the secret, which is
   * returned only once. That of an admin has no scope that the admin's token lacks, expires no later, and is
   * revoked with it, unless it is independent.
   *
   * @throws ConflictError The user or the service account is disabled.
   */
  create(body: Body<Routes["adminTokens"]["create"]>, options?: CallOptions): ApiPromise<CreatedToken>;
  /** List the tokens of users and service accounts. Sign-ins to the console are among them. */
  list(query?: Query<Routes["adminTokens"]["list"]>, options?: CallOptions): PagedList<HeldToken>;
  /**
   * Revoke a token of any user or service account, and its descendants. Takes effect at once. Independent
   * descendants are kept.
   */
  delete(token_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["adminTokens"]["delete"]>>;
}

export interface AdminOperatorTokens {
  /** Create an operator token. `token` of the response is the secret, which is returned only once. */
  create(
    body: Body<Routes["adminOperatorTokens"]["create"]>,
    options?: CallOptions,
  ): ApiPromise<CreatedOperatorToken>;
  /** List operator tokens. */
  list(query?: Query<Routes["adminOperatorTokens"]["list"]>, options?: CallOptions): PagedList<OperatorToken>;
  /** Revoke an operator token and those that were created with it. */
  delete(
    operator_token_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["adminOperatorTokens"]["delete"]>>;
}

export interface AdminLimits {
  /** Get the limits of an organization or of a user, and how much is used. */
  get(owner_id: string, options?: CallOptions): ApiPromise<Limits>;
  /**
   * Change the limits of an organization or of a user. An omitted limit is kept, null restores the setting,
   * `none` removes the limit.
   */
  update(
    owner_id: string,
    body: Body<Routes["adminLimits"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Limits>;
}

export interface AdminRetention {
  /** Get the days after which an organization's sessions, events and files are deleted. */
  get(organization_id: string, options?: CallOptions): ApiPromise<Retention>;
  /**
   * Change the days after which an organization's sessions, events and files are deleted. What is too old is
   * deleted within an hour, and cannot be recovered.
   */
  update(
    organization_id: string,
    body: Body<Routes["adminRetention"]["update"]>,
    options?: CallOptions,
  ): ApiPromise<Retention>;
}

export interface AdminErasures {
  /**
   * Erase all data of a user or of an organization. Returns at once: running services carry it out. Only the
   * operator can erase an organization.
   *
   * @throws ConflictError An admin asks, and the user is the only admin of the organization.
   */
  create(body: Body<Routes["adminErasures"]["create"]>, options?: CallOptions): ApiPromise<Erasure>;
  /** List erasures. */
  list(query?: Query<Routes["adminErasures"]["list"]>, options?: CallOptions): PagedList<Erasure>;
  /** Get the receipt of an erasure. */
  get(erasure_id: string, options?: CallOptions): ApiPromise<Erasure>;
}

export interface AdminDeviceAuthorizations {
  /** Get a login by its user code. */
  lookup(
    body: Body<Routes["adminDeviceAuthorizations"]["lookup"]>,
    options?: CallOptions,
  ): ApiPromise<DeviceAuthorization>;
  /**
   * Approve a login by its user code, with a token of a user.
   *
   * @throws ConflictError The user is disabled.
   */
  approve(
    body: Body<Routes["adminDeviceAuthorizations"]["approve"]>,
    options?: CallOptions,
  ): ApiPromise<DeviceAuthorization>;
  /** Deny a login by its user code. */
  deny(
    body: Body<Routes["adminDeviceAuthorizations"]["deny"]>,
    options?: CallOptions,
  ): ApiPromise<DeviceAuthorization>;
}

export interface AdminHosts {
  /** List the services that share the database. */
  list(query?: Query<Routes["adminHosts"]["list"]>, options?: CallOptions): PagedList<Host>;
  /**
   * Drain a host: it takes no new sessions, and gives up its disks. What is on its disks and neither saved
   * nor pushed is lost.
   */
  drain(host_id: string, options?: CallOptions): ApiPromise<Host>;
  /** Stop draining a host. */
  resume(host_id: string, options?: CallOptions): ApiPromise<Host>;
  /**
   * Give up the disks of a host that no longer exists. Removes the host. Its sessions continue elsewhere.
   *
   * @throws ConflictError The host was seen just now, and `force` is not true.
   */
  forget(
    host_id: string,
    body: Body<Routes["adminHosts"]["forget"]>,
    options?: CallOptions,
  ): ApiPromise<ForgottenHost>;
}

export interface AdminSessions {
  /**
   * Release a session of any owner that is set aside.
   *
   * @throws ConflictError The session is terminated.
   */
  release(session_id: string, options?: CallOptions): ApiPromise<ReleasedSession>;
}

export interface AdminAuditEntries {
  /** List who changed what, and from where. Newest first. */
  list(query?: Query<Routes["adminAuditEntries"]["list"]>, options?: CallOptions): PagedList<AuditEntry>;
  /**
   * Export who changed what, and from where. Returns all entries that the filters select, newest first, as a
   * file. In CSV, an apostrophe precedes text that a spreadsheet would take for a formula. The body of the
   * response is unread: read it with `bytes()`, `text()` or `blob()`.
   */
  export(query?: Query<Routes["adminAuditEntries"]["export"]>, options?: CallOptions): Promise<Response>;
}
