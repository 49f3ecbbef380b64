export { limitsOf } from "./workspace/sandbox-spec.ts";
