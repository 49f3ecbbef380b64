export { commandWords, pathParams } from "@berth/contract/command-words";
/** All operations of the API as plain data, for programs that generate something. Loads nothing else. */
export { operations } from "@berth/contract/operations";
