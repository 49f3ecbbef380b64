export { newAwaitedCalls, resolvedCalls } from "./session-log/awaited-calls.ts";
export {
  type EventRow,
  eventColumns,
  eventJson,
  logEntry,
  newEventRow,
  sessionEvent,
  usageOf,
} from "./session-log/event-row.ts";
export {
  type AnnouncedCall,
  announcedCalls,
  awaitedCalls,
  firstRequestAt,
  insertEventFiles,
  type LogEnd,
  listEvents,
  logEnd,
  type RequestAt,
  readPage,
  requestAt,
  type StreamedEvent,
  seqOfEvent,
} from "./session-log/event-store.ts";
export {
  ADD_ACTIVE_TIME,
  appendInputs,
  appendTerminated,
  appendUpdated,
  SET_EVENT_TIME,
  type SessionChange,
  startsWork,
} from "./session-log/input-store.ts";
export {
  type Found,
  type FoundEntry,
  MAX_PART_BYTES,
  MAX_READ_MS,
  type ReadAnswer,
  type ReadFailure,
  type ReadKind,
  type ReadRequest,
} from "./session-log/read-request.ts";
export { readLogCopy, readRunLog } from "./session-log/run-log-store.ts";
export {
  startsTurn,
  WAITING_AS_JSON,
  type WaitingInputs,
  waitingInputs,
} from "./session-log/waiting-inputs-store.ts";
