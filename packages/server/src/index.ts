export { scopes } from "@berth/contract";
export type { Capability } from "@berth/sandbox";
export { type Config, ConfigError, flagOf, readConfig, variables } from "./config.ts";
export { doctor } from "./doctor.ts";
export { createOperatorToken } from "./operator-token.ts";
export { type Serving, serve } from "./start/serve.ts";
