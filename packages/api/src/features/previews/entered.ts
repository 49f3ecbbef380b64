import type { IncomingMessage } from "node:http";
import type { Translated } from "./preview-headers.ts";
import type { ServedPreview } from "./served-preview-store.ts";

/** A request for a preview that exists, from somebody who may use it. */
export interface Entered {
  request: IncomingMessage;
  preview: ServedPreview;
  to: Translated;
  /** Path and query. */
  path: string;
  /** Whether the header `Authorization` has the preview's token. */
  byHeader: boolean;
}
