import { threadsOperation } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { activatedFeatures } from "../../http/read-input.ts";
import { serveRoute } from "../../http/serve-route.ts";

/** Threads are a beta feature that this version does not have: who asks for them is told so, and not that the path is wrong. */
export function mountThreadsPath(app: HttpApp): void {
  serveRoute(app, { operation: threadsOperation }, async (asked) => {
    if (!activatedFeatures(asked).has("threads")) throw errors.featureNotAvailable("threads");
    throw errors.invalid("Threads are not available in this version of Berth.");
  });
}
