import type { Token, Whoami } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { Button } from "../../ui/button.tsx";
import { CallPanel } from "../../ui/call-panel.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Ago, Until, useNow } from "../../ui/moment.tsx";
import { Owner } from "../../ui/owner.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import { describeScopes } from "./scopes.ts";
import { aboutOf, TokenBadges } from "./token-columns.tsx";
import { stateOf } from "./token-state.ts";

type Props = {
  token: Token;
  tokens: readonly Token[];
  me: Whoami | undefined;
  onClose: () => void;
  onOpen: (id: string) => void;
  onRevoke: () => void;
};

/** Shows the details of a token, without the token itself, which only its holder has. */
export function TokenDialog({ token, tokens, me, onClose, onOpen, onRevoke }: Props) {
  const active = stateOf(token, useNow()) === "active";
  const children = tokens.filter(({ parent_id }) => parent_id === token.id);
  return (
    <Dialog
      open
      onClose={onClose}
      size="medium"
      title={
        <span className="flex items-center gap-2">
          <span className="truncate">{token.name}</span>
          <TokenBadges token={token} me={me} />
        </span>
      }
      actions={
        active && (
          <Button look="danger" icon="trash" onClick={onRevoke}>
            Revoke
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Facts>
          <Fact name="Id">
            <CopyId id={token.id} />
          </Fact>
          <Fact name={token.kind === "console" ? "Sign-in" : "Token"}>{aboutOf(token)}</Fact>
          <Fact name="Scopes">
            <ul>
              {describeScopes(token.scopes).map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </Fact>
          <Fact name="Owner">
            <Owner id={token.owner_id} />
          </Fact>
          <Fact name="Created">
            <Ago at={token.created_at} />
          </Fact>
          <Fact name="Last used">
            {token.last_used_at === null ? "never" : <Ago at={token.last_used_at} />}
          </Fact>
          <Fact name="Expires">{token.expires_at === null ? "never" : <Until at={token.expires_at} />}</Fact>
          {token.revoked_at !== null && (
            <Fact name="Revoked">
              <Ago at={token.revoked_at} />
            </Fact>
          )}
          {token.parent_id !== null && (
            <Fact name="Created with">
              <TokenLink id={token.parent_id} tokens={tokens} onOpen={onOpen} />
              {token.independent && <span className="text-faint"> (stays when that is revoked)</span>}
            </Fact>
          )}
          {children.length > 0 && (
            <Fact name="Created with it">
              <ul>
                {children.map(({ id }) => (
                  <li key={id}>
                    <TokenLink id={id} tokens={tokens} onOpen={onOpen} />
                  </li>
                ))}
              </ul>
            </Fact>
          )}
        </Facts>
        {active && (
          <CallPanel call={{ operation: operations.tokens.delete, params: { token_id: token.id } }} />
        )}
        <JsonView value={token} />
      </div>
    </Dialog>
  );
}

function TokenLink({
  id,
  tokens,
  onOpen,
}: {
  id: string;
  tokens: readonly Token[];
  onOpen: (id: string) => void;
}) {
  const known = tokens.find((token) => token.id === id);
  if (known === undefined) return <CopyId id={id} />;
  return (
    <button type="button" onClick={() => onOpen(id)} className="text-accent-text hover:underline">
      {known.name}
    </button>
  );
}
