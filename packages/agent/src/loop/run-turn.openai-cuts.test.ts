import { describeTurnCuts } from "../../test-support/models/turn-cuts.ts";

describeTurnCuts("openai");
