export type {
  Agent,
  AuditEntry,
  CompactionSavings,
  ConsoleLink,
  CreatedOperatorToken,
  CreatedToken,
  CurrentToken,
  DeviceAuthorization,
  Environment,
  Erasure,
  EventDelta,
  EventOf,
  EventStart,
  ForgottenHost,
  ForwardResource,
  Health,
  HealthCheck,
  HealthHost,
  Host,
  Limits,
  Memory,
  MemoryActor,
  MemoryStore,
  MemoryVersion,
  ModelUsage,
  Operation,
  OperatorToken,
  Organization,
  RepositoryChangesOf as RepositoryChanges,
  RepositoryDiff,
  Retention,
  ServiceAccount,
  Session,
  SessionChanges,
  SessionEvent,
  SessionEventType,
  SessionResource,
  SessionStatus,
  Skill,
  SkillVersion,
  StopReason,
  Token,
  ToolOutput,
  TurnOutcome,
  UsageFigures,
  UsageGroup,
  UsageReport,
  User,
  Vault,
  VaultCredential,
  Whoami,
  WorkspaceEntry,
} from "@berth/contract";
export { Berth } from "./client.ts";
export type { StreamOptions } from "./resources/events.ts";
export type { Content, Part, Upload } from "./resources/files.ts";
export type { SkillUpload } from "./resources/skills.ts";
export type { ResumableOptions } from "./resources/upload-resumable.ts";
export { type Standing, standingOf } from "./standing.ts";
export type { StreamFrame } from "./streaming/event-stream.ts";
export { parentCallOf } from "./streaming/parent-call.ts";
export { addOutput, type OutputText } from "./streaming/tool-output.ts";
export type { ApiPromise, WithResponse } from "./transport/api-promise.ts";
export {
  APIError,
  AuthenticationError,
  BerthError,
  ConflictError,
  ConnectionError,
  FeatureNotAvailableError,
  InternalServerError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TimeoutError,
  TLSError,
} from "./transport/errors.ts";
export type { Call, CallOptions, ClientOptions, Logger } from "./transport/options.ts";
export type { Page, PagedList } from "./transport/page.ts";
