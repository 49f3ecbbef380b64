import { modelRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { cursorScope, openCursor } from "../../request/page.ts";
import type { AvailableModels } from "../agents/available-models.ts";

export function mountModels(app: HttpApp, models: Pick<AvailableModels, "list" | "defaultModel">): void {
  mount(app, modelRoutes.list, async (request, input) => {
    const listed = models.list();
    // A cursor holds the number of models before it, since the registry does not change while the service
    // runs.
    const start = Number(openCursor(request, input)?.position ?? 0);
    const end = start + input.query.limit;
    const data = listed
      .slice(start, end)
      .map(({ id, provider, context_window, max_output_tokens, price }) => ({
        id,
        type: "model" as const,
        provider,
        effective_context_window: context_window,
        max_output_tokens,
        default: id === models.defaultModel,
        price,
      }));
    const more = end < listed.length;
    const scope = cursorScope(request, input);
    return {
      data,
      next_page: more ? request.cursors.seal(scope, { direction: "older", position: `${end}` }) : null,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: more,
    };
  });
}
