import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import type { Variables } from "./step-inputs.ts";

/** What a step tells the steps and jobs after it. */
export interface StepOutputs {
  session_id: string;
  session_url: string;
  /** How the turn ended, as in `last_turn.outcome` of a session; empty until it has. */
  outcome: string;
  /** The agent's last message; empty if there is none. */
  message: string;
  /** The pull request that this message names; empty if it names none. */
  pull_request_url: string;
}

/** The most characters of a message in an output or a summary: a file of a step has a limit of 1 MiB. */
const MOST = 50_000;

/**
 * Appends outputs to the file that the job's system reads: `GITHUB_OUTPUT`, or else `BERTH_OUTPUT_FILE`, in
 * the form of dotenv reports, which have no values of several lines. Does nothing without either.
 */
export async function writeOutputs(variables: Variables, outputs: Partial<StepOutputs>): Promise<void> {
  const { GITHUB_OUTPUT: file, BERTH_OUTPUT_FILE: dotenv } = variables;
  const entries = Object.entries(outputs).map(([name, value]) => [name, value.slice(0, MOST)] as const);
  if (file) await appendFile(file, entries.map(([name, value]) => withDelimiter(name, value)).join(""));
  else if (dotenv) await appendFile(dotenv, entries.map(([name, value]) => dotenvLine(name, value)).join(""));
}

/** A value between lines that nobody can guess, so that no text of an agent ends it and begins an output. */
function withDelimiter(name: string, value: string): string {
  const delimiter = `end_${randomUUID()}`;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

function dotenvLine(name: string, value: string): string {
  return `BERTH_${name.toUpperCase()}=${value.replaceAll(/\s+/g, " ").trim()}\n`;
}

/** The facts of a summary: names and values, which are no Markdown. */
export type SummaryFacts = readonly (readonly [name: string, value: string])[];

/** Appends a summary to the page of the run: `GITHUB_STEP_SUMMARY`, or else `BERTH_SUMMARY_FILE`. */
export async function writeSummary(
  variables: Variables,
  page: string,
  message: string,
  facts: SummaryFacts,
): Promise<void> {
  const file = variables.GITHUB_STEP_SUMMARY || variables.BERTH_SUMMARY_FILE;
  if (file) await appendFile(file, summaryOf(page, message, facts));
}

/** Returns a summary as Markdown. Text of an agent is in a block of code, where nothing in it is markup. */
export function summaryOf(page: string, message: string, facts: SummaryFacts): string {
  const rows = facts.map(([name, value]) => `| ${name} | ${plain(value)} |`);
  const lines = ["### Berth", "", `[Open the session](${page})`, "", "| | |", "|---|---|", ...rows, ""];
  const text = message.trim().slice(0, MOST);
  if (text !== "") {
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
    const fence = "`".repeat(longest + 1);
    lines.push("The agent's last message:", "", `${fence}text`, text, fence, "");
  }
  return `${lines.join("\n")}\n`;
}

/** Returns text that Markdown and HTML show as it is, on one line. */
function plain(value: string): string {
  return value
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_{}[\]()#+!|~:@-]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
