export type {
  Agent,
  Environment,
  EventDelta,
  EventOf,
  EventStart,
  ForwardResource,
  Memory,
  MemoryActor,
  MemoryStore,
  MemoryVersion,
  ModelUsage,
  Operation,
  Session,
  SessionEvent,
  SessionEventType,
  SessionResource,
  SessionStatus,
  Skill,
  SkillVersion,
  StopReason,
  Token,
  Vault,
  VaultCredential,
} from "@berth/contract";
export type { Answer, WithResponse } from "./answer.ts";
export { Berth } from "./client.ts";
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
  TimeoutError,
} from "./errors.ts";
export type { StreamFrame } from "./event-stream.ts";
export type { Call, CallOptions, ClientOptions, Logger } from "./options.ts";
export type { Page, PagedList } from "./page.ts";
export type { StreamOptions } from "./resources/events.ts";
export type { Content, Part, Upload } from "./resources/files.ts";
export type { SkillUpload } from "./resources/skills.ts";
export type { ResumableOptions } from "./upload-resumable.ts";
