import { describeTurnCuts } from "./testing/turn-cuts.ts";

describeTurnCuts("openai-compatible", { stride: 5 });
