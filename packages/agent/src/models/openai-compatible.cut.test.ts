import { describeCuts } from "./testing/cuts.ts";

describeCuts("openai-compatible");
