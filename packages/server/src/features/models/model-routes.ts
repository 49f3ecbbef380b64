import { modelRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { cursorScope, openCursor } from "../../http/page.ts";
import type { ModelWindows } from "../agents/resolve-agent.ts";

export function mountModels(app: HttpApp, models: Pick<ModelWindows, "list">): void {
  mount(app, modelRoutes.list, async (context, input) => {
    const listed = models.list();
    // A cursor holds how many models came before it: the registry stays as it is while the service runs.
    const start = Number(openCursor(context, input)?.position ?? 0);
    const end = start + input.query.limit;
    const data = listed.slice(start, end).map(({ id, provider, context_window, max_output_tokens }) => ({
      id,
      type: "model" as const,
      provider,
      effective_context_window: context_window,
      max_output_tokens,
    }));
    const more = end < listed.length;
    const scope = cursorScope(context, input);
    return {
      data,
      next_page: more ? context.cursors.seal(scope, { direction: "older", position: `${end}` }) : null,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: more,
    };
  });
}
