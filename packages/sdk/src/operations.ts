/** What a command prefix of a confirmation rule may not contain. Loads nothing else. */
export { shellOperatorIn, trimCommand } from "@berth/contract/command-prefix";
export { commandWords, pathParams } from "@berth/contract/command-words";
/** All operations of the API as plain data, for programs that generate something. Loads nothing else. */
export { isAdministration, operations } from "@berth/contract/operations";
