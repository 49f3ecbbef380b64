// Subject: every fixed text that a model sees (notes, system prompt, tool definitions). Stored sessions
// contain these texts, or repeat them in each request: a changed byte invalidates prompt caches and signed
// thinking. Change a text only on purpose, for new sessions, and update its digest here.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { DEFAULT_TOOL_NAMES } from "@berth/contract";
import { createGuardedFetch } from "@berth/egress";
import { mcpFailure } from "../mcp/mcp-failure.ts";
import { EXPLORE_PROMPT } from "../prompts/explore-prompt.ts";
import * as notes from "../prompts/notes.ts";
import { systemPrompt } from "../prompts/system-prompt.ts";
import { truncateMiddle } from "../prompts/text.ts";
import { explore } from "../tools/explore.ts";
import { toolDefinitions, toolset } from "../tools/toolset.ts";

const unreachable = createGuardedFetch({ allowPrivate: [], resolve: async () => [] });
const reasonFor = (url: string) =>
  unreachable(url).then(
    () => "",
    (error: unknown) => mcpFailure(error).reason,
  );

const fixedNotes = Object.fromEntries(Object.entries(notes).filter(([, value]) => typeof value === "string"));
const sixTools = toolset({
  tools: [{ type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES] }],
});

const texts: Record<string, unknown> = {
  ...fixedNotes,
  cutOff: [notes.cutOff("N", ""), notes.cutOff("N", "O\n")],
  operatorMessage: notes.operatorMessage("T"),
  containerRestored: [0, 1, 2].map((calls) => notes.containerRestored("T", calls)),
  documentHead: [
    notes.documentHead(null, null),
    notes.documentHead("T", null),
    notes.documentHead(null, "C"),
    notes.documentHead("T", "C"),
  ],
  textDocument: notes.textDocument(null, null, "D"),
  omittedMedia: notes.omittedMedia("image/png"),
  malformedInput: notes.malformedInput("A", "[1]"),
  rejectedMedia: notes.rejectedMedia("image/png"),
  rejectedTools: notes.rejectedTools(["a", "b"]),
  earlierMessages: notes.earlierMessages(["a", "b"]),
  changedFiles: notes.changedFiles(["/a", "/b"]),
  newestResults: notes.newestResults("R"),
  unreadableFile: notes.unreadableFile("file_1"),
  missingTools: notes.missingTools("E."),
  summaryOf: notes.summaryOf("S"),
  unknownTool: [notes.unknownTool("A", []), notes.unknownTool("A", ["B", "C"])],
  deniedByPolicy: notes.deniedByPolicy("A"),
  deniedByUser: [notes.deniedByUser(" "), notes.deniedByUser("no")],
  invalidInput: notes.invalidInput("A", "F"),
  truncateMiddle: truncateMiddle("x".repeat(1_000), 200),
  systemPrompt: systemPrompt({ system: "A", workspaceDescription: "W", tools: ["Bash"] }),
  explorePrompt: EXPLORE_PROMPT,
  ...Object.fromEntries(toolDefinitions([explore]).map((definition) => [definition.name, definition])),
  ...Object.fromEntries(toolDefinitions(sixTools).map((definition) => [definition.name, definition])),
  privateAddress: await reasonFor("http://10.0.0.1/"),
  unresolvable: await reasonFor("https://no.such.invalid/"),
};

const DIGESTS: Record<string, string> = {
  cutOff: "4feea563f2cd",
  operatorMessage: "396e258b401d",
  containerRestored: "91e8ff4dafdb",
  documentHead: "e37c9d2cfd2a",
  textDocument: "6b463d420558",
  omittedMedia: "324b23b228a9",
  unreadableFile: "3f8c3842f0a8",
  missingTools: "e8c65b24e4c8",
  summaryOf: "2a1ec34b2f46",
  unknownTool: "b63030c5c8dd",
  deniedByPolicy: "0defba8a3a68",
  deniedByUser: "35de4c53e654",
  invalidInput: "68d3452e0d40",
  truncateMiddle: "fb93f92f1298",
  systemPrompt: "6be8d3ea93d1",
  BLANK_MESSAGE: "d1949b19752b",
  CANCELLED_CALL: "f94abc85df49",
  CONTAINER_RECLAIMED: "8eb0617fa2bf",
  TRUNCATED_RESPONSE: "2afaf34d0bae",
  EMPTY_RESULT: "f64028045083",
  HISTORY_LEFT_OUT: "551fd18be386",
  INTERRUPTED_CALL: "547f2c7611b5",
  INTERRUPTED_OUTPUT: "e34db0dac24b",
  NO_SUMMARY: "224eb1ccc558",
  NOT_STARTED_CALL: "bf4435ef2026",
  STOPPED_CALL: "17f307d79d63",
  SUMMARY_INSTRUCTION: "b950d6f32d17",
  USER_INTERRUPTED: "0822f1b481f1",
  Bash: "4c7ac3bbfcc1",
  Read: "0b338de335fa",
  Write: "9fed9b4533d6",
  Edit: "dbc1e0bc24cd",
  Glob: "639aad110af2",
  Grep: "85ed1c19329b",
  Explore: "7e7e29cce0fa",
  explorePrompt: "a578e17aaf21",
  ANSWER_NOW: "46284d4d8d15",
  CUT_RESULT: "6944484a744c",
  REJECTED_HISTORY: "71e854c854d7",
  REJECTED_RESULT: "3a2b8df93a3b",
  REJECTED_TEXT: "b5a7aa587be6",
  malformedInput: "925ca212675e",
  rejectedMedia: "6e9c09b33d75",
  rejectedTools: "788d451641aa",
  earlierMessages: "c50b7a2d7686",
  changedFiles: "e6324fbf60c9",
  newestResults: "a2e2adf7e61a",
  privateAddress: "4b3768a83f69",
  unresolvable: "d7657bbb586f",
};

for (const [name, text] of Object.entries(texts)) {
  test(`model-visible text ${name}: its bytes are unchanged`, () => {
    const digest = createHash("sha256").update(JSON.stringify(text)).digest("hex").slice(0, 12);
    assert.equal(digest, DIGESTS[name]);
  });
}
