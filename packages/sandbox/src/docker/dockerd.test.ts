import { conformanceOf } from "../../test-support/docker-conformance.ts";

conformanceOf("dockerd");
