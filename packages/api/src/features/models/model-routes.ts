import { modelRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { fixedList } from "../../request/fixed-list.ts";
import type { AvailableModels } from "../agents/available-models.ts";

export function mountModels(app: HttpApp, models: Pick<AvailableModels, "list" | "defaultModel">): void {
  mount(app, modelRoutes.list, async (request, input) => {
    const listed = models.list().map(({ id, provider, context_window, max_output_tokens, price }) => ({
      id,
      type: "model" as const,
      provider,
      effective_context_window: context_window,
      max_output_tokens,
      default: id === models.defaultModel,
      price,
    }));
    return fixedList(request, input, listed);
  });
}
