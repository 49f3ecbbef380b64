// Subject: the conformance suite on the docker engine, with Docker.
import { conformanceOf } from "../../test-support/docker-conformance.ts";

conformanceOf("dockerd");
