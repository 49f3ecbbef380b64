import { describeTurnCuts } from "./testing/turn-cuts.ts";

describeTurnCuts("anthropic");
