export { newAwaitedCalls, resolvedCalls } from "./session-log/awaited-calls.ts";
export {
  addConfirmationRule,
  type ConfirmationRuleRow,
  confirmationRules,
  listConfirmationRules,
  type RuleScope,
  removeConfirmationRule,
} from "./session-log/confirmation-rule-store.ts";
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
  type FirstReply,
  firstReply,
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
  appendEvent,
  appendInputs,
  appendTerminated,
  appendUpdated,
  SET_EVENT_TIME,
  type SessionChange,
  senderIds,
  startsWork,
} from "./session-log/input-store.ts";
export { LINK_REASON, LINK_TLS, type LinkAddress, linkKey } from "./session-log/preview-link.ts";
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
