import assert from "node:assert/strict";
import { after } from "node:test";
import { covers } from "../acceptance/harness/covers.ts";
import { startWebhookReceiver } from "../acceptance/harness/webhook-receiver.ts";
import { Console } from "./harness/console.ts";

const receiver = await startWebhookReceiver();
after(() => receiver.close());
const console = await Console.start({ settings: { BERTH_EGRESS_ALLOW_PRIVATE: "127.0.0.1" } });
const { api } = console;

covers(
  ["console-screens", "console-faults", "webhook-crud", "webhook-test"],
  "webhooks: made with its faults at their fields, tested, seen to deliver and deliver again, rotated, disabled and deleted",
  async () => {
    const { page, faults } = await console.signedIn("/webhooks");
    const dialog = page.getByRole("dialog");
    const press = (name: string) => dialog.getByRole("button", { name, exact: true }).click();
    await page.getByText("No webhooks yet").waitFor();
    await page.keyboard.press("n");
    await dialog.getByLabel("Name", { exact: false }).first().fill("Bot");
    await dialog.getByLabel("URL", { exact: true }).fill("http://hooks.example.com/");
    await press("Create webhook");
    await dialog
      .getByText(/must be an https URL/)
      .first()
      .waitFor();
    await dialog.getByLabel("URL", { exact: true }).fill(`${receiver.url}/bot`);
    await press("Add event");
    await page.getByRole("menuitemcheckbox", { name: "vault.created", exact: true }).click();
    await page.keyboard.press("Escape");
    await press("Create webhook");
    const secret = dialog.getByTestId("webhook-secret");
    await secret.waitFor();
    const first = await secret.textContent();
    assert.match(first ?? "", /^whsec_/);
    await press("I have copied it");

    await press("Test webhook");
    await dialog.getByRole("status").getByText("The receiver answered 204.").waitFor();
    const vault = await api.ok("POST", "/vaults", { display_name: "told" });
    const deliveries = dialog.getByRole("region", { name: "Deliveries" });
    await deliveries.getByText("delivered").waitFor();
    await deliveries.getByRole("button", { name: "Redeliver" }).click();
    const isTold = ({ body }: { body: string }) => body.includes(vault.id);
    const [one, other] = [
      receiver.received.find(isTold),
      await receiver.first((request) => receiver.received.filter(isTold).indexOf(request) === 1),
    ];
    assert.equal(one?.headers["webhook-id"], other.headers["webhook-id"]);

    await press("Rotate secret…");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    await secret.waitFor();
    assert.notEqual(await secret.textContent(), first);
    await press("I have copied it");
    await press("Disable");
    await dialog.getByText("It is disabled.").waitFor();
    await press("Enable");
    await dialog.getByRole("button", { name: "Disable", exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(first ?? ""), "the secret is shown once");
    await press("Delete…");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("The webhook is deleted").waitFor();
    assert.deepEqual((await api.ok("GET", "/webhooks")).data, []);
    assert.deepEqual(faults, []);
  },
);
