export { SCOPES } from "@berth/contract";
export type { Capability } from "@berth/sandbox";
export { administration, createOperatorToken } from "./administration/administration.ts";
export { OperatorError } from "./administration/as-operator.ts";
export type { HostEntry } from "./administration/host-store.ts";
export { rewrapSecrets } from "./administration/rewrap-secrets.ts";
export { type Config, ConfigError, flagOf, readConfig, VARIABLES } from "./config/config.ts";
export { doctor } from "./doctor/doctor.ts";
export { type Serving, serve } from "./start/serve.ts";
