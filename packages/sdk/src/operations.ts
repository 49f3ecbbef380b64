export { commandWords, pathParams } from "@berth/contract/command-words";
/** Every operation of the API as plain data, for programs that generate something from it. Loads nothing else. */
export { operations } from "@berth/contract/operations";
