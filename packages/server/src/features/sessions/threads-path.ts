import { threadsOperation } from "@berth/contract";
import { errors } from "../../errors/catalogue.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { activatedFeatures } from "../../http/read-input.ts";
import { serveRoute } from "../../http/serve-route.ts";

/** Threads are a beta feature that this version does not have: requests for them get that error instead of an unknown path. */
export function mountThreadsPath(app: HttpApp): void {
  serveRoute(app, { operation: threadsOperation }, async (incoming) => {
    if (!activatedFeatures(incoming).has("threads")) throw errors.featureNotAvailable("threads");
    throw errors.invalid("Threads are not available in this version of Berth.");
  });
}
