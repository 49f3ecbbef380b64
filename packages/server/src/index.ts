export { SCOPES } from "@berth/contract";
export type { Capability } from "@berth/sandbox";
export { administration } from "./administration/administration.ts";
export { OperatorError } from "./administration/as-operator.ts";
export { createOperatorToken } from "./administration/operator-token.ts";
export { rewrapSecrets } from "./administration/rewrap-secrets.ts";
export { type Config, ConfigError, flagOf, readConfig, variables } from "./config/config.ts";
export { doctor } from "./doctor/doctor.ts";
export { type Serving, serve } from "./start/serve.ts";
