import { describeCuts } from "../../../test-support/models/cuts.ts";

describeCuts("openai-compatible");
