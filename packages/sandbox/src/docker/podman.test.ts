// Subject: the conformance suite on the docker engine, with Podman.
import { conformanceOf } from "../../test-support/docker-conformance.ts";

conformanceOf("podman");
