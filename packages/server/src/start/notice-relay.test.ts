import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notice } from "@berth/store/notify";
import { NoticeRelay, neighboursBehind } from "./notice-relay.ts";

test("each process hears what the others tell, once, and nothing of itself", () => {
  const relay = new NoticeRelay();
  const heard: Record<string, string[]> = { main: [], runner: [], api: [] };
  const child = (name: string) => {
    const behind = neighboursBehind((notice) => tell(notice));
    const tell = relay.add(behind.heard);
    behind.of(relay.service).listen(({ sessionId }) => heard[name]?.push(sessionId));
    return behind.of(relay.service);
  };
  const [runner, api] = [child("runner"), child("api")];
  const stop = relay.neighbours.listen(({ sessionId }: Notice) => heard.main?.push(sessionId));
  relay.neighbours.tell({ sessionId: "of main", due: true });
  runner.tell({ sessionId: "of runner", due: false });
  api.tell({ sessionId: "of api", due: true });
  stop();
  runner.tell({ sessionId: "late", due: true });
  assert.deepEqual(heard, {
    main: ["of runner", "of api"],
    runner: ["of main", "of api"],
    api: ["of main", "of runner", "late"],
  });
});
