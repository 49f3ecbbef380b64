import { readFile } from "node:fs/promises";
import { z } from "zod";

const url = z.url({ protocol: /^https?$/, error: "must be an http or https address" });
const tokens = z.int().min(1024);

const provider = z
  .strictObject({
    kind: z.enum(["anthropic", "openai", "openai-compatible"]),
    base_url: url.optional(),
    api_key_env: z.string().min(1).optional(),
    api_key_file: z.string().min(1).optional(),
    idle_timeout_seconds: z.int().min(1).max(300).optional(),
    headers: z.record(z.string().regex(/^[\w-]+$/, "must be the name of a header"), z.string()).optional(),
  })
  .refine((given) => given.api_key_env === undefined || given.api_key_file === undefined, {
    error: "has both api_key_env and api_key_file; one of them is enough",
  })
  .refine((given) => given.kind !== "openai-compatible" || given.base_url !== undefined, {
    error: "is openai-compatible and needs a base_url",
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
  images: z.boolean().optional(),
  documents: z.boolean().optional(),
  default: z.boolean().optional(),
});

const modelsFile = z
  .strictObject({
    providers: z.record(z.string().regex(/^[^/\s]+$/, "must be a name without slashes and spaces"), provider),
    models: z.array(model).default([]),
  })
  .superRefine((file, context) => {
    for (const { path, message } of crossFaults(file)) context.addIssue({ code: "custom", path, message });
  });

export type ModelsFile = z.output<typeof modelsFile>;
export type ModelEntry = ModelsFile["models"][number];
export type ProviderEntry = ModelsFile["providers"][string];

/** What is wrong with the models file, all of it, each fault with its field. */
export class ModelsFileError extends Error {
  override readonly name = "ModelsFileError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The models file is not right:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

/** Throws `ModelsFileError`. */
export async function readModelsFile(path: string): Promise<ModelsFile> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ModelsFileError([`${path} cannot be read (${error.code ?? error.name}).`]);
  });
  return parseModelsFile(text);
}

/** Throws `ModelsFileError`. */
export function parseModelsFile(text: string): ModelsFile {
  const result = modelsFile.safeParse(parseJson(text));
  if (result.success) return result.data;
  throw new ModelsFileError(result.error.issues.map((issue) => sentence(issue.path, issue.message)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words could repeat a piece of the file, and headers are secret.
    throw new ModelsFileError(["It is not JSON."]);
  }
}

interface Fault {
  path: (string | number)[];
  message: string;
}

/** What no single field shows. */
function crossFaults({ providers, models }: ModelsFile): Fault[] {
  const faults = models.flatMap((entry, index) => modelFaults(entry, index, { providers, models }));
  const defaults = models.filter((entry) => entry.default === true);
  if (defaults.length > 1) {
    const ids = defaults.map(({ id }) => id).join(", ");
    faults.push({ path: ["models"], message: `has more than one default: ${ids}` });
  }
  if (Object.hasOwn(providers, "rehearsal")) {
    faults.push({ path: ["providers", "rehearsal"], message: "is the name of the built-in rehearsal model" });
  }
  return faults;
}

function modelFaults(entry: ModelEntry, index: number, { providers, models }: ModelsFile): Fault[] {
  const fault = (field: string, message: string) => [{ path: ["models", index, field], message }];
  const name = entry.id.slice(0, entry.id.indexOf("/"));
  const kind = Object.hasOwn(providers, name) ? providers[name]?.kind : undefined;
  const { max_output_tokens: output, context_window: window, thinking } = entry;
  return [
    ...(kind === undefined
      ? fault("id", `names the provider "${name}", which is not among the providers`)
      : []),
    ...(models.findIndex(({ id }) => id === entry.id) < index
      ? fault("id", `is there twice: ${entry.id}`)
      : []),
    ...(output !== undefined && window !== undefined && output >= window
      ? fault("max_output_tokens", "must be less than context_window")
      : []),
    ...(thinking !== undefined && kind !== undefined && kind !== "anthropic"
      ? fault("thinking", "is for providers of kind anthropic; others think by the agent's effort")
      : []),
    ...(typeof thinking === "object" && (output === undefined || thinking.budget_tokens >= output)
      ? fault("thinking", "has a budget_tokens, which must be less than the model's max_output_tokens")
      : []),
  ];
}

function sentence(path: readonly PropertyKey[], message: string): string {
  const field = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${field === "" ? "the file" : field.replace(/^\./, "")}: ${message}`;
}
