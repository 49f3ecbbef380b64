export { ApiError, about } from "./errors/api-error.ts";
export { errors } from "./errors/catalogue.ts";
export { nearestName } from "./errors/nearest-name.ts";
export { InputError, OperatorError } from "./errors/operator-error.ts";
