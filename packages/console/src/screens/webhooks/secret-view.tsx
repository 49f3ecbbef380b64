import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";

/** Shows a webhook's new key. It cannot be shown again. */
export function SecretView({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { copied, copy } = useCopy();
  return (
    <div className="flex flex-col gap-4 pb-1">
      <p className="flex items-start gap-2.5 rounded-lg border border-warn/30 bg-warn-soft px-3 py-2.5">
        <Icon name="alert" className="mt-0.5 text-warn" />
        <span>Copy it now: it is shown only once. The receiver verifies requests with it.</span>
      </p>
      <div className="flex items-stretch gap-2">
        <code
          data-testid="webhook-secret"
          className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-3 py-1.5 font-mono text-xs leading-5 break-all select-all"
        >
          {secret}
        </code>
        <Button look="primary" icon={copied ? "check" : "copy"} onClick={() => copy(secret)}>
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
      <div className="flex justify-end border-t border-line pt-4">
        <Button onClick={onClose}>I have copied it</Button>
      </div>
    </div>
  );
}
