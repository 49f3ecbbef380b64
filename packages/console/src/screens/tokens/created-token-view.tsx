import type { CreatedToken } from "@berth/sdk";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy.tsx";
import { Command } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Until } from "../../ui/moment.tsx";

type Props = {
  token: CreatedToken;
  /** Whose it is, if that says more than its name. */
  actsAs?: string;
  /** What to do with it. By default, how the command line takes it. */
  children?: ReactNode;
  onClose: () => void;
};

/** Shows a new token. It cannot be shown again. */
export function CreatedTokenView({ token, actsAs = token.name, children, onClose }: Props) {
  const { copied, copy } = useCopy();
  return (
    <div className="flex flex-col gap-4 pb-1">
      <p className="flex items-start gap-2.5 rounded-lg border border-warn/30 bg-warn-soft px-3 py-2.5">
        <Icon name="alert" className="mt-0.5 text-warn" />
        <span>
          Copy it now: it is shown only once. Anyone who has it can act as <strong>{actsAs}</strong>, within
          its scopes
          {token.expires_at !== null && (
            <>
              , and it expires <Until at={token.expires_at} />
            </>
          )}
          .
        </span>
      </p>
      <div className="flex items-stretch gap-2">
        <code
          data-testid="new-token"
          className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-3 py-1.5 font-mono text-xs leading-5 break-all select-all"
        >
          {token.token}
        </code>
        <Button look="primary" icon={copied ? "check" : "copy"} onClick={() => copy(token.token)}>
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
      {children ?? (
        <div className="text-muted">
          To log in with it on the command line:
          <Command text={`berth login ${location.origin}`} />
        </div>
      )}
      <div className="flex justify-end border-t border-line pt-4">
        <Button onClick={onClose}>I have copied it</Button>
      </div>
    </div>
  );
}
