export type { Subject } from "./administration/admin-mount.ts";
export { listHosts } from "./administration/list-hosts.ts";
export { createOperatorToken } from "./administration/operator-tokens.ts";
