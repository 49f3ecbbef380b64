import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createBodyOf,
  EMPTY_CONNECTION,
  placeOf,
  rotationOf,
  TYPE_CHOICES,
  typeName,
  withoutSecret,
} from "./connection-form.ts";
import { readConnectionSearch } from "./connection-search.ts";

const FILLED = {
  ...EMPTY_CONNECTION,
  ...{ name: " Acme ", url: " https://git.example.com ", appId: " 12 ", installationId: "34" },
  ...{ username: "robot", workspace: "acme", secret: "a secret" },
};

test("bodies: each type has its own fields, and the address only if it is given", () => {
  const bodies = TYPE_CHOICES.map(({ value }) => createBodyOf({ ...FILLED, type: value }));
  assert.deepEqual(bodies[0], {
    ...{ display_name: "Acme", url: "https://git.example.com" },
    auth: { type: "github_app", app_id: "12", installation_id: "34", private_key: "a secret" },
  });
  assert.deepEqual(
    bodies.slice(1).map(({ auth }) => auth),
    [
      { type: "gitlab", token: "a secret" },
      { type: "gitea", username: "robot", password: "a secret" },
      { type: "bitbucket", workspace: "acme", token: "a secret" },
      { type: "token", api: "github", username: "robot", token: "a secret" },
    ],
  );
  const plain = createBodyOf({ ...FILLED, type: "token", url: "", api: "", username: "" });
  assert.deepEqual(plain, { display_name: "Acme", auth: { type: "token", token: "a secret" } });
  const ofAll = createBodyOf({ ...FILLED, owner: "organization" });
  assert.deepEqual([ofAll.owner_type, "owner_type" in plain], ["organization", false]);
  for (const body of bodies) assert.ok(!JSON.stringify(withoutSecret(body)).includes("a secret"));
});

test("rotation: the secret's field of each type", () => {
  assert.deepEqual(
    TYPE_CHOICES.map(({ value }) => rotationOf(value, "s").auth),
    [
      { type: "github_app", private_key: "s" },
      { type: "gitlab", token: "s" },
      { type: "gitea", password: "s" },
      { type: "bitbucket", token: "s" },
      { type: "token", token: "s" },
    ],
  );
});

test("faults and addresses: what the service names is shown at its field, and anything else is left out", () => {
  assert.deepEqual(["display_name", "auth.private_key", "auth.installation_id", "other"].map(placeOf), [
    "name",
    "secret",
    "installationId",
    "",
  ]);
  assert.deepEqual(readConnectionSearch({ create: "x", connection: "<b>" }), {});
  assert.deepEqual(readConnectionSearch({ create: true, connection: "conn_1" }), {
    create: true,
    connection: "conn_1",
  });
  assert.equal(typeName("gitea"), "Gitea or Forgejo");
});
