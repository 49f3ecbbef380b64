import { readFileSync } from "node:fs";
import { perlProgram } from "@berth/linux";

/** Source text of `scripts/sidecar.js`, a module that needs nothing but Node. */
export const SIDECAR = readFileSync(new URL("../../scripts/sidecar.js", import.meta.url), "utf8");

/** Source text of `scripts/capture-routes.pl`, for `perl -e`. */
export const CAPTURE_ROUTES = perlProgram(new URL("../../scripts/capture-routes.pl", import.meta.url));
