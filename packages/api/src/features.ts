export { sweepSignIns } from "./features/console/sweep-sign-ins.ts";
export { deleteExpired } from "./features/device-authorizations/device-authorization-store.ts";
export { resolveResources } from "./features/environments/resolve-environment.ts";
export { sweepContents, sweepUploads } from "./features/files/sweep-contents.ts";
export { beginUploadsAnew } from "./features/files/upload-store.ts";
export type { ServiceFault } from "./features/health/probe-routes.ts";
export { deleteExpiredReads } from "./features/sessions/workspace/read-store.ts";
export { createTokenFor, type TokenFor } from "./features/tokens/create-token-for.ts";
