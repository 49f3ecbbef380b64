import { describeTurnCuts } from "./testing/turn-cuts.ts";

describeTurnCuts("openai", { stride: 5 });
