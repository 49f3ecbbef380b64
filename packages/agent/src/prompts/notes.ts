import { storableText } from "./text.ts";

/**
 * The texts of this file are what the loop adds to a model's history. Stored sessions contain them, so a
 * changed wording invalidates prompt caches and signed thinking.
 */

export const INTERRUPTED_CALL =
  "interrupted: the call was cut off before it ended and its outcome is unknown. Look at what it did before you repeat it.";

/** Follows the output of such a call. */
export const INTERRUPTED_OUTPUT =
  "interrupted: the call was cut off before it ended and its outcome is unknown. What it printed in its last seconds may be missing here. Look at what it did before you repeat it.";

export const STOPPED_CALL =
  "interrupted: the call was stopped before it ended. What it did until then stays done.";

/** Returns the result of a call that was cut off. @param output what the call had printed. */
export function cutOff(note: string, output: string): string {
  return output === "" ? note : `${output.replace(/\n$/, "")}\n[${note}]`;
}

export const NOT_STARTED_CALL = "interrupted: the call was not started.";

export const CANCELLED_CALL = "interrupted: the user interrupted your work before this call was run.";

export const EMPTY_RESULT = "(The tool returned nothing.)";

export const USER_INTERRUPTED = "[The user interrupted your work before this message.]";

export const CONTAINER_RECLAIMED =
  "[Your container was reclaimed and is set up anew. Repositories are cloned again and what the user mounted is in place again; whatever else was on the disk is gone: work that was not pushed, installed packages, shells, running processes. What lay in /mnt/session/outputs was kept for the user but is not on the disk any more.]";

/** Tells that a save was restored. @param savedAt ISO 8601. @param lostCalls tool calls since then. */
export function containerRestored(savedAt: string, lostCalls: number): string {
  const lost =
    lostCalls === 0
      ? "You made no tool call after that, so nothing that you did on the disk is lost."
      : `What your last ${lostCalls === 1 ? "tool call" : `${lostCalls} tool calls`} before this did on the disk is lost; everything before is there.`;
  return `[Your container was lost with its disk. You get a new one whose disk is as it was saved at ${savedAt}: repositories with uncommitted work, other files, shells. ${lost} Processes that were running have ended.]`;
}

export const HISTORY_LEFT_OUT =
  "What was said and done before is too large to be shown, and no summary of it was made. What lies on the disk is still there.";

export const BLANK_MESSAGE = "[The user sent a blank message.]";

const OPERATOR_NOTICE = "[A message of the operator of this session, not of the user:]";

/** Wraps a message of the operator during a session, since the system prompt never changes. */
export function operatorMessage(text: string): string {
  return `${OPERATOR_NOTICE}\n\n${text}`;
}

/** Returns the title and context of the document in the next block; null when it has neither. */
export function documentHead(title: string | null, context: string | null): string | null {
  if (title === null && context === null) return null;
  return `[A document${title === null ? "" : `: ${title}`}]${context === null ? "" : `\n${context}`}`;
}

export function textDocument(title: string | null, context: string | null, content: string): string {
  return `${documentHead(title, context) ?? "[A document]"}\n<document>\n${content}\n</document>`;
}

/** Replaces an image or a document that is left out. */
export function omittedMedia(mediaType: string): string {
  return `[${mediaType}: left out]`;
}

export function unreadableFile(fileId: string): string {
  return `[The file ${fileId}, which the user attached, cannot be read.]`;
}

/** Returns whether a text block of a user message was added by the loop. */
export function isAddition(text: string): boolean {
  return ADDITIONS.some((beginning) => text.startsWith(beginning));
}

/** Tells of an MCP server's failure. @param error its `message` is a sentence with the server's name. */
export function mcpError(error: { type: string; message: string }): string {
  return error.type === "mcp_tools_left_out_error" ? `[${error.message}]` : missingTools(error.message);
}

export function missingTools(error: string): string {
  return `[${error} Its tools are missing for now.]`;
}

export const TRUNCATED_RESPONSE =
  "[Your last answer reached the output limit and was cut off; tool calls in it were not run. Go on from where it stops, in smaller steps.]";

export const SUMMARY_INSTRUCTION = `[The conversation no longer fits the context window. Write the summary from which you will go on; everything before it will be gone. Do not call tools. Use these headings:

## Task
What the user asked for, with every constraint, in their words where the words matter.
## State
What is done and what is not, and how it was checked.
## Decisions
What was decided and learned, and why.
## Files
Paths that matter and what was changed in each; branches, commits and commands worth keeping.
## Next
The next steps, in order.]`;

export const NO_SUMMARY =
  "(No summary of the earlier conversation could be made. Look at the files for what was done.)";

/** The first block of a compacted history. */
export function summaryOf(text: string): string {
  return `[The conversation until here was summarised to save space. The summary follows, and after it the newest message of the user in full. Go on with the work; do not begin again.]\n\n${text}`;
}

export function unknownTool(name: string, known: readonly string[]): string {
  const offer = known.length > 0 ? `Available: ${known.join(", ")}.` : "No tools are available.";
  return `There is no tool named '${name}'. ${offer}`;
}

export function deniedByPolicy(name: string): string {
  return `The tool ${name} is denied by this agent's permission policy. Do the task without it.`;
}

/** Returns the result of a call that the client denied. @param message the client's reason, may be blank. */
export function deniedByUser(message: string): string {
  const reason = message.trim();
  return `The user denied this call, and it was not run.${reason === "" ? "" : ` They said: ${reason}`}`;
}

export function invalidInput(name: string, errors: string): string {
  return `The input does not fit the tool ${name}, which was not run. ${errors}`;
}

/** Replaces an image or a document of the history. */
export function rejectedMedia(mediaType: string): string {
  return `[${mediaType}: left out, since the model's provider rejects it]`;
}

export const REJECTED_TEXT = "[A text is left out here, since the model's provider rejects it.]";

export const REJECTED_RESULT =
  "[The result of this call is left out, since the model's provider rejects it.]";

export function rejectedTools(names: readonly string[]): string {
  return `[The model's provider rejects the definitions of these tools, which you do not have any more: ${names.join(", ")}.]`;
}

export const REJECTED_HISTORY =
  "[The conversation before this message is left out, since the model's provider rejects something in it. The files show what was done; ask the user for what else you need.]";

export const CUT_RESULT = "[The result of this call was removed to save space.]";

/** Returns the result of a call whose input is not JSON. @param input as the model wrote it. */
export function malformedInput(name: string, input: string): string {
  const start = storableText(input).slice(0, 200).toWellFormed();
  return `The input of the call of ${name} has to be one JSON object, and was not; the tool was not run. It began with: ${start}`;
}

const EARLIER_MESSAGES = "[What the user wrote before, oldest first:]";
const CHANGED_FILES = "[Files that you changed until here:]";
const NEWEST_RESULTS = "[The newest results of your calls:]";

/** Lists the user's earlier messages. @param messages the first in full, later ones shortened. */
export function earlierMessages(messages: readonly string[]): string {
  return [EARLIER_MESSAGES, ...messages].join("\n\n");
}

export function changedFiles(paths: readonly string[]): string {
  return [CHANGED_FILES, ...paths].join("\n");
}

export function newestResults(results: string): string {
  return `${NEWEST_RESULTS}\n\n${results}`;
}

const LAST_ANSWER = "[Your answer to that, after which you waited for the user:]";

export function lastAnswer(text: string): string {
  return `${LAST_ANSWER}\n\n${text}`;
}

/** The last message to a nested loop of Explore whose budget was spent before it answered. */
export const ANSWER_NOW =
  "[You have used up what you may use. Answer now with what you have found, and say what you did not get to; no call will be run.]";

const ADDITIONS = [
  ANSWER_NOW,
  OPERATOR_NOTICE,
  "[A document",
  EARLIER_MESSAGES,
  CHANGED_FILES,
  NEWEST_RESULTS,
  LAST_ANSWER,
];
