import type { VaultCredential } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type ReactNode, useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { CallPanel } from "../../ui/call-panel.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Ago } from "../../ui/moment.tsx";
import { toast } from "../../ui/toast.tsx";
import { titleOf } from "./credential-form.ts";
import { refreshVaults } from "./queries.ts";

type Asked = "archive" | "delete" | "json" | null;

/** Shows a credential: its purpose and the hosts that it may be sent to. */
export function CredentialCard({ credential, onEdit }: { credential: VaultCredential; onEdit: () => void }) {
  const [asked, setAsked] = useState<Asked>(null);
  const { auth, archived_at } = credential;
  const isArchived = archived_at !== null;
  return (
    <article aria-label={titleOf(credential)} className="rounded-xl border border-line bg-panel p-4">
      <div className="flex items-start gap-3">
        <span className="flex size-8 shrink-0 items-center justify-center rounded-lg border border-line bg-canvas text-muted">
          <Icon name={auth.type === "static_bearer" ? "network" : "key"} />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="flex items-center gap-2 font-semibold">
            <span className="truncate">{showUnseen(titleOf(credential))}</span>
            {isArchived && <Badge>Archived</Badge>}
          </h2>
          <CopyId id={credential.id} />
        </div>
        <div className="flex items-center gap-1.5">
          {!isArchived && (
            <Button size="small" icon="refresh" onClick={onEdit}>
              Rotate<span className="max-sm:hidden"> or change</span>
            </Button>
          )}
          <Menu trigger={<IconButton icon="dots" label={`More of ${titleOf(credential)}`} />}>
            <MenuItem icon="code" onSelect={() => setAsked("json")}>
              JSON, CLI and curl
            </MenuItem>
            <MenuLine />
            {!isArchived && (
              <MenuItem icon="archive" onSelect={() => setAsked("archive")}>
                Archive
              </MenuItem>
            )}
            <MenuItem icon="trash" danger onSelect={() => setAsked("delete")}>
              Delete
            </MenuItem>
          </Menu>
        </div>
      </div>
      <dl className="mt-3 grid sm:ml-11 grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        {auth.type === "static_bearer" ? (
          <Fact name="Token for">
            <span className="font-mono text-xs wrap-anywhere">{showUnseen(auth.mcp_server_url)}</span>
          </Fact>
        ) : (
          <>
            <Fact name="Variable">
              <span className="font-mono text-xs wrap-anywhere">{showUnseen(auth.secret_name)}</span>
            </Fact>
            <Fact name="Sent to">
              <span className="flex flex-wrap gap-1">
                {auth.networking.allowed_hosts.map((host) => (
                  <span key={host} className="rounded-sm bg-selected px-1.5 font-mono text-xs leading-5">
                    {showUnseen(host)}
                  </span>
                ))}
              </span>
            </Fact>
          </>
        )}
        <Fact name="Secret">
          {isArchived ? (
            <span className="text-faint">destroyed</span>
          ) : (
            <span className="text-muted">
              <span aria-hidden="true">•••••••• </span>
              <span className="text-faint">
                never shown; changed <Ago at={credential.updated_at} />
              </span>
            </span>
          )}
        </Fact>
      </dl>
      <Questions credential={credential} asked={asked} onClose={() => setAsked(null)} />
    </article>
  );
}

function Questions({
  credential,
  asked,
  onClose,
}: {
  credential: VaultCredential;
  asked: Asked;
  onClose: () => void;
}) {
  const { id, vault_id } = credential;
  const params = { vault_id, credential_id: id };
  return (
    <>
      <Dialog open={asked === "json"} onClose={onClose} title={titleOf(credential)} size="medium">
        <div className="flex flex-col gap-3 pb-2">
          <CallPanel call={{ operation: operations.vaultCredentials.get, params }} />
          <JsonView value={credential} />
        </div>
      </Dialog>
      <Confirm
        open={asked === "archive"}
        onClose={onClose}
        title={`Archive ${titleOf(credential)}?`}
        verb="Archive"
        danger
        act={async () => {
          await berth.vaults.credentials.archive(vault_id, id);
          await refreshVaults();
          toast("The credential is archived");
        }}
      >
        The secret is destroyed, and sessions lose it from their next call on. This cannot be undone. A new
        credential can have the same name.
      </Confirm>
      <Confirm
        open={asked === "delete"}
        onClose={onClose}
        title={`Delete ${titleOf(credential)}?`}
        verb="Delete"
        danger
        act={async () => {
          await berth.vaults.credentials.delete(vault_id, id);
          await refreshVaults();
          toast("The credential is deleted");
        }}
      >
        The credential and its secret are deleted. This cannot be undone.
      </Confirm>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
