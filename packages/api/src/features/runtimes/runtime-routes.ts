import { runtimeRoutes } from "@berth/contract";
import type { RuntimeCatalogue } from "@berth/store/runtimes";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { fixedList } from "../../request/fixed-list.ts";

/** @param runtimes Null where sandboxes cannot have them; then the list is empty. */
export function mountRuntimes(app: HttpApp, runtimes: Pick<RuntimeCatalogue, "list"> | null): void {
  mount(app, runtimeRoutes.list, async (request, input) => {
    const listed = ((await runtimes?.list()) ?? []).map(({ runtime, versions, listedAt }) => ({
      id: runtime,
      type: "runtime" as const,
      versions: versions.map((one, index) => ({ ...one, default: index === 0 })),
      listed_at: listedAt?.toISOString() ?? null,
    }));
    return fixedList(request, input, listed);
  });
}
