import { modelRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import type { ModelWindows } from "../agents/resolve-agent.ts";

export function mountModels(app: HttpApp, models: Pick<ModelWindows, "list">): void {
  mount(app, modelRoutes.list, async () => {
    const data = models.list().map(({ id, provider, context_window, max_output_tokens }) => ({
      id,
      type: "model" as const,
      provider,
      effective_context_window: context_window,
      max_output_tokens,
    }));
    return {
      data,
      next_page: null,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: false,
    };
  });
}
