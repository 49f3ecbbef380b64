import { conformanceOf } from "./testing-conformance.ts";

conformanceOf("podman");
