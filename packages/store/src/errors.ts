export { ApiError } from "./errors/api-error.ts";
export { errors } from "./errors/catalogue.ts";
export { InputError, OperatorError } from "./errors/operator-error.ts";
