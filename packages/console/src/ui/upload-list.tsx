import type { Upload } from "../api/use-uploads.ts";
import { formatBytes } from "../format/numbers.ts";
import { IconButton } from "./button.tsx";
import { messageOf } from "./error-box.tsx";
import { Icon } from "./icon.tsx";

type Props = {
  uploads: readonly Upload[];
  onRetry: (key: string) => void;
  onRemove: (key: string) => void;
};

/** Shows the files that are being uploaded, with their progress. */
export function UploadList({ uploads, onRetry, onRemove }: Props) {
  if (uploads.length === 0) return null;
  return (
    <ul aria-label="Files" className="flex flex-wrap gap-2">
      {uploads.map(({ key, name, size, progress, file, error }) => (
        <li
          key={key}
          className="relative flex h-8 max-w-full items-center gap-2 overflow-hidden rounded-lg border border-line bg-canvas pr-1 pl-2.5"
        >
          <Icon
            name={error !== null ? "alert" : "file"}
            className={error !== null ? "text-bad" : "text-muted"}
          />
          <span className="truncate">{name}</span>
          <span className="text-xs whitespace-nowrap text-faint tabular">
            {error !== null
              ? messageOf(error)
              : file === null
                ? `${Math.round(progress * 100)} %`
                : formatBytes(size)}
          </span>
          {error !== null && (
            <IconButton
              icon="refresh"
              label={`Retry ${name}`}
              onClick={() => onRetry(key)}
              className="size-6"
            />
          )}
          <IconButton
            icon="cross"
            label={`Remove ${name}`}
            onClick={() => onRemove(key)}
            className="size-6"
          />
          {file === null && error === null && (
            <span
              className="absolute bottom-0 left-0 h-0.5 bg-accent transition-[width]"
              style={{ width: `${progress * 100}%` }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
