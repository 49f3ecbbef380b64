import type { EventOf } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { berth } from "../../../api/client.ts";
import { formatBytes } from "../../../format/numbers.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";

type Block = EventOf<"user.message">["content"][number];
type ImageBlock = Extract<Block, { type: "image" }>;
/** Image types in which no browser runs scripts. */
const IMAGE_TYPE = /^image\/(png|jpeg|gif|webp)$/;

type DocumentBlock = Extract<Block, { type: "document" }>;

/** Shows the images and documents of a message or a result. */
export function Attachments({ blocks }: { blocks: readonly { type: string }[] }) {
  const shown = blocks.filter(
    (block): block is ImageBlock | DocumentBlock => block.type === "image" || block.type === "document",
  );
  if (shown.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {shown.map((block, index) =>
        block.type === "image" ? (
          <ImageThumb key={index} block={block} />
        ) : (
          <DocumentChip key={index} block={block} />
        ),
      )}
    </div>
  );
}

function ImageThumb({ block }: { block: ImageBlock }) {
  const [open, setOpen] = useState(false);
  const address = useImageAddress(block.source);
  if (address === null) return <Chip icon="image" text="Image" />;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label="Open the image"
        className="overflow-hidden rounded-lg border border-line bg-sunken"
      >
        <img src={address} alt="" className="max-h-40 max-w-60 object-contain" />
      </button>
      {open && (
        <Dialog open onClose={() => setOpen(false)} title="Image" size="large">
          <img
            src={address}
            alt="From the session"
            className="mx-auto max-h-[75dvh] max-w-full object-contain pb-3"
          />
        </Dialog>
      )}
    </>
  );
}

/**
 * Returns an address for the image: of the bytes in the event, or of a file's content. Returns null until it
 * has loaded.
 */
function useImageAddress(source: ImageBlock["source"]): string | null {
  const fileId = source.type === "file" ? source.file_id : null;
  const [address, setAddress] = useState<string | null>(null);
  const { data: blob } = useQuery({
    queryKey: ["files", fileId, "content"],
    queryFn: async ({ signal }) => await (await berth.files.content(fileId ?? "", { signal })).blob(),
    enabled: fileId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (blob === undefined || !IMAGE_TYPE.test(blob.type)) return;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (source.type === "file") return address;
  const isImage = IMAGE_TYPE.test(source.media_type) && /^[A-Za-z0-9+/]*=*$/.test(source.data);
  return isImage ? `data:${source.media_type};base64,${source.data}` : null;
}

function DocumentChip({ block: { source, title } }: { block: DocumentBlock }) {
  const fileId = source.type === "file" ? source.file_id : null;
  const { data: file } = useQuery({
    queryKey: ["files", fileId],
    queryFn: ({ signal }) => berth.files.get(fileId ?? "", { signal }),
    enabled: fileId !== null,
  });
  const size = file?.size_bytes == null ? "" : ` · ${formatBytes(file.size_bytes)}`;
  return <Chip icon="file" text={`${title ?? file?.filename ?? "Document"}${size}`} />;
}

function Chip({ icon, text }: { icon: "file" | "image"; text: string }) {
  return (
    <span className="inline-flex h-8 items-center gap-2 rounded-lg border border-line bg-canvas px-2.5 text-muted">
      <Icon name={icon} /> {text}
    </span>
  );
}
