export type {
  Agent,
  ConsoleLink,
  CreatedToken,
  CurrentToken,
  DeviceAuthorization,
  Environment,
  EventDelta,
  EventOf,
  EventStart,
  ForwardResource,
  Health,
  HealthCheck,
  HealthHost,
  Memory,
  MemoryActor,
  MemoryStore,
  MemoryVersion,
  ModelUsage,
  Operation,
  RepositoryChangesOf as RepositoryChanges,
  RepositoryDiff,
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
  UsageFigures,
  UsageGroup,
  UsageReport,
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
export type { StreamFrame } from "./streaming/event-stream.ts";
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
} from "./transport/errors.ts";
export type { Call, CallOptions, ClientOptions, Logger } from "./transport/options.ts";
export type { Page, PagedList } from "./transport/page.ts";
