import { describeCuts } from "./testing/cuts.ts";

describeCuts("anthropic");
