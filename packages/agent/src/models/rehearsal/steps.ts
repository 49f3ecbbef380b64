import { z } from "zod";

const call = z.strictObject({
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()).default({}),
});
const expect = z.string().min(1).optional();
const FAILURE_KINDS = [
  "overloaded",
  "rate_limited",
  "request_failed",
  "interrupted_stream",
  "authentication",
  "not_found",
  "context_overflow",
] as const;

const callStep = call.extend({ expect });
const callsStep = z.strictObject({ tools: z.array(call).min(1).max(100), expect });
const sayStep = z.strictObject({ say: z.string(), expect });
const failStep = z.strictObject({ fail: z.enum(FAILURE_KINDS), times: z.int().min(1).max(1_000).default(1) });
const waitStep = z.strictObject({ wait_ms: z.int().min(0).max(3_600_000) });

const step = z.union([callStep, callsStep, sayStep, failStep, waitStep]);
export type Step = z.output<typeof step>;
export type Call = z.output<typeof call>;

const script = z.strictObject({ steps: z.array(step).max(10_000) });
const resume = z.strictObject({ rehearsal_resume: script });

/** Parses the steps in a message, as plain JSON or in a fenced `json` block; null when it has none. */
export function parseSteps(message: string): Step[] | null {
  return jsonOf(script, message)?.steps ?? null;
}

/** Parses the steps in a summary that `formatResume` wrote; null when it has none. */
export function parseResume(summary: string): Step[] | null {
  return jsonOf(resume, summary)?.rehearsal_resume.steps ?? null;
}

/** Formats steps for a summary, from which `parseResume` reads them. */
export function formatResume(steps: readonly Step[]): string {
  return `\`\`\`json\n${JSON.stringify({ rehearsal_resume: { steps } })}\n\`\`\``;
}

function jsonOf<Value>(schema: z.ZodType<Value>, text: string): Value | null {
  const fenced = [...text.matchAll(/^```json[ \t]*\r?\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
  for (const candidate of [text, ...fenced]) {
    const parsed = schema.safeParse(parsedJson(candidate));
    if (parsed.success) return parsed.data;
  }
  return null;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
