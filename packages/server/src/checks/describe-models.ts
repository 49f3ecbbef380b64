import type { Capability } from "@berth/sandbox";

/** Reports whether agents have a real model. @param providers Provider of each model. */
export function describeModels(providers: readonly string[]): Capability {
  const name = "models";
  const distinct = [...new Set(providers)];
  if (distinct.some((provider) => provider !== "rehearsal"))
    return { name, state: "yes", detail: `Providers: ${distinct.join(", ")}.` };
  const advice = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or set BERTH_MODELS_FILE";
  return {
    name,
    state: "degraded",
    detail: `Only the rehearsal model is available. For a real model, ${advice}.`,
  };
}
