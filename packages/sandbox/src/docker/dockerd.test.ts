import { conformanceOf } from "./testing-conformance.ts";

conformanceOf("dockerd");
