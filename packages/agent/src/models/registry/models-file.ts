import { NotARegularFile, readRegularFile } from "@berth/linux";
import { z } from "zod";
import { REHEARSAL } from "../rehearsal/rehearsal-model.ts";

const url = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });
const tokens = z.int().min(1024);

/** Picodollars for a token, as an integer. */
const dollars = z
  .number()
  .min(0)
  .max(100_000)
  .refine((value) => Number.isInteger(Number((value * 1e6).toFixed(3))), {
    error: "must have at most six decimals",
  });

/** US dollars for a million tokens. Without a price of its own, a cached token costs what input does. */
const price = z.strictObject({
  date: z.iso.date({ error: "must be a day, such as 2026-01-31" }),
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});

const provider = z
  .strictObject({
    kind: z.enum(["anthropic", "openai", "openai-compatible"]),
    base_url: url.optional(),
    api_key_env: z.string().min(1).optional(),
    api_key_file: z.string().min(1).optional(),
    cache_seconds: z.int().min(0).max(3_600).optional(),
    hour_cache: z.boolean().optional(),
    idle_timeout_seconds: z.int().min(1).max(300).optional(),
    headers: z.record(z.string().regex(/^[\w-]+$/, "must be the name of a header"), z.string()).optional(),
  })
  .refine((given) => given.api_key_env === undefined || given.api_key_file === undefined, {
    error: "must not have both api_key_env and api_key_file",
  })
  .refine((given) => given.kind !== "openai-compatible" || given.base_url !== undefined, {
    error: "needs a base_url, since its kind is openai-compatible",
  })
  .refine((given) => given.kind === "anthropic" || given.hour_cache !== true, {
    error: "must not have hour_cache, since only requests of kind anthropic can say how long they are kept",
  });

const model = z.strictObject({
  id: z.string().regex(/^[^/\s]+\/\S+$/, "must have the form provider/model"),
  upstream_model: z.string().min(1).optional(),
  context_window: tokens.optional(),
  max_output_tokens: z.int().min(256).optional(),
  thinking: z
    .union([z.enum(["adaptive", "off"]), z.strictObject({ budget_tokens: tokens })], {
      error: 'must be "adaptive", "off" or {"budget_tokens": a number from 1024}',
    })
    .optional(),
  reasoning: z.boolean().optional(),
  images: z.boolean().optional(),
  documents: z.boolean().optional(),
  price: price.optional(),
  default: z.boolean().optional(),
});

const modelsFile = z
  .strictObject({
    providers: z.record(z.string().regex(/^[^/\s]+$/, "must be a name without slashes and spaces"), provider),
    models: z.array(model).default([]),
  })
  .superRefine((file, context) => {
    for (const { path, message } of crossFieldIssues(file))
      context.addIssue({ code: "custom", path, message });
  });

export type ModelsFile = z.output<typeof modelsFile>;
export type ModelEntry = ModelsFile["models"][number];
export type ProviderEntry = ModelsFile["providers"][string];

/** All errors of the models file, each with the path of its field. */
export class ModelsFileError extends Error {
  override readonly name = "ModelsFileError";
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`The models file is invalid:\n${issues.map((issue) => `- ${issue}`).join("\n")}`);
    this.issues = issues;
  }
}

/** Reads and validates the models file. Throws `ModelsFileError`. */
export async function readModelsFile(path: string): Promise<ModelsFile> {
  return parseModelsFile(textOf(path));
}

function textOf(path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    if (error instanceof NotARegularFile) throw new ModelsFileError([error.message]);
    const { code, name } = error as NodeJS.ErrnoException;
    throw new ModelsFileError([`${path} cannot be read (${code ?? name}).`]);
  }
}

/** Validates the text of a models file. Throws `ModelsFileError`. */
export function parseModelsFile(text: string): ModelsFile {
  const result = modelsFile.safeParse(parseJson(text));
  if (result.success) return result.data;
  throw new ModelsFileError(result.error.issues.map((issue) => sentence(issue.path, issue.message)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message may quote the file, and headers are secret.
    throw new ModelsFileError(["It is not valid JSON."]);
  }
}

interface Issue {
  path: (string | number)[];
  message: string;
}

/** Returns the issues that concern more than one field. */
function crossFieldIssues({ providers, models }: ModelsFile): Issue[] {
  const issues = models.flatMap((entry, index) => modelIssues(entry, index, { providers, models }));
  const defaults = models.filter((entry) => entry.default === true);
  if (defaults.length > 1) {
    const ids = defaults.map(({ id }) => id).join(", ");
    issues.push({ path: ["models"], message: `has more than one default: ${ids}` });
  }
  if (Object.hasOwn(providers, "rehearsal")) {
    issues.push({ path: ["providers", "rehearsal"], message: "is the name of the built-in rehearsal model" });
  }
  return issues;
}

function modelIssues(entry: ModelEntry, index: number, { providers, models }: ModelsFile): Issue[] {
  const issue = (field: string, message: string) => [{ path: ["models", index, field], message }];
  if (entry.id === REHEARSAL) {
    const others = Object.keys(entry).filter((field) => field !== "id" && field !== "price");
    return others.flatMap((field) =>
      issue(field, "is not for the built-in rehearsal model, which takes only a price"),
    );
  }
  const name = entry.id.slice(0, entry.id.indexOf("/"));
  const kind = Object.hasOwn(providers, name) ? providers[name]?.kind : undefined;
  const { max_output_tokens: output, context_window: window, thinking, reasoning } = entry;
  return [
    ...(kind === undefined ? issue("id", `refers to the provider "${name}", which is not defined`) : []),
    ...(models.findIndex(({ id }) => id === entry.id) < index
      ? issue("id", `is a duplicate: ${entry.id}`)
      : []),
    ...(output !== undefined && window !== undefined && output >= window
      ? issue("max_output_tokens", "must be less than context_window")
      : []),
    ...(thinking !== undefined && kind !== undefined && kind !== "anthropic"
      ? issue("thinking", "is only for providers of kind anthropic; for others the agent's effort applies")
      : []),
    ...(reasoning !== undefined && kind === "anthropic"
      ? issue("reasoning", "is not for providers of kind anthropic; set thinking")
      : []),
    ...(typeof thinking === "object" && (output === undefined || thinking.budget_tokens >= output)
      ? issue("thinking", "has budget_tokens that are not less than the model's max_output_tokens")
      : []),
  ];
}

function sentence(path: readonly PropertyKey[], message: string): string {
  const field = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${field === "" ? "the file" : field.replace(/^\./, "")}: ${message}`;
}
