// Tests previews of a session's ports, in a browser.
import assert from "node:assert/strict";
import { covers } from "../acceptance/harness/covers.ts";
import { makeEnvironment, makeSession } from "../acceptance/harness/fixtures.ts";
import { startPortServer } from "../acceptance/harness/port-server.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start({});
const { api } = console;
const kept = await makeEnvironment(api, { name: "kept", keep_alive_seconds: 3_600 });
const session = await makeSession(api, { title: "A page", environment_id: kept.id });
await startPortServer(api, session, 5173);

covers(
  ["preview-entry", "preview-forward", "console-screens"],
  "previews: added and opened from the console, at an origin without the service's cookies; deleted, it is gone",
  async () => {
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=previews`);
    await page.getByText("No previews yet").waitFor();
    await page.getByLabel("Port").fill("5173");
    await page.getByRole("button", { name: "Create preview" }).click();
    const link = page.getByRole("link", { name: "Open" });
    await link.waitFor();
    const address = await link.getAttribute("href");
    const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await opened.getByRole("heading", { name: "Hello from the sandbox" }).waitFor();
    const { hostname, pathname, hash } = new URL(opened.url());
    assert.match(hostname, /^[a-z2-7]{26}\.localhost$/);
    assert.deepEqual([pathname, hash], ["/", ""]);
    assert.equal(await opened.evaluate("document.cookie + (window.opener === null)"), "true");
    const seen = await opened.evaluate("fetch('/head').then((one) => one.text())");
    assert.doesNotMatch(String(seen), /cookie|authorization/i);
    const echoed = await opened.evaluate(
      "fetch('/count', { method: 'POST', body: 'x'.repeat(100000) }).then((one) => one.text())",
    );
    assert.equal(echoed, "100000");
    await page.getByRole("button", { name: "Delete the preview of port 5173" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No previews yet").waitFor();
    await opened.reload();
    await opened.getByRole("heading", { name: "This preview has ended." }).waitFor();
    // The harness names each window that a page opens.
    assert.deepEqual(faults, [`window of ${address}`]);
  },
);
