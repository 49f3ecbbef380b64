import { useQuery } from "@tanstack/react-query";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useState } from "react";
import { berth } from "../api/client.ts";
import { parseCsv } from "../format/csv.ts";
import { formatBytes } from "../format/numbers.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Spinner } from "./button.tsx";
import { CodeBlock } from "./code-block.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorBox } from "./error-box.tsx";
import { languageOf } from "./highlight.ts";
import { MarkdownFile } from "./markdown-file.tsx";
import { Cell, HeadCell, Table } from "./table.tsx";

const PdfView = lazyRouteComponent(() => import("./pdf-view.tsx"), "PdfView");

type StoredFile = Awaited<ReturnType<typeof berth.files.get>>;

/** Bytes above which a file is only offered for download. */
const MAX_PREVIEW = 8 * 1024 * 1024;
const MAX_TEXT = 400_000;

type Props = { file: StoredFile; open: boolean; onClose: () => void };

/** Previews a file by its type in a dialog. Nothing in the file is executed. */
export function FilePreview({ file, open, onClose }: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={showUnseen(file.filename)}
      description={`${file.mime_type} · ${formatBytes(file.size_bytes ?? 0)}`}
      size="large"
    >
      <div className="min-h-40 pb-4">{open && <FileContent file={file} />}</div>
    </Dialog>
  );
}

/** Shows the content of a file by its type. */
export function FileContent({ file }: { file: StoredFile }) {
  const fits = file.downloadable && (file.size_bytes ?? 0) <= MAX_PREVIEW;
  const content = useQuery({
    queryKey: ["files", file.id, "content"],
    queryFn: async ({ signal }) => await (await berth.files.content(file.id, { signal })).blob(),
    enabled: fits,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (!fits)
    return (
      <p className="text-muted">
        {file.downloadable
          ? "The file is too large to show here. Download it."
          : "This file cannot be shown here."}
      </p>
    );
  if (content.isError) return <ErrorBox error={content.error} retry={() => void content.refetch()} />;
  if (content.data === undefined) return <Spinner className="text-faint" />;
  return <BlobView blob={content.data} name={file.filename} type={file.mime_type} />;
}

/** Shows bytes by their type: an image, a PDF, a table, Markdown, code or text. */
export function BlobView({ blob, name, type }: { blob: Blob; name: string; type: string }) {
  if (/^image\/(png|jpeg|gif|webp)$/.test(type)) return <ImageView blob={blob} type={type} name={name} />;
  if (type === "application/pdf")
    return (
      <Suspense fallback={<Spinner className="text-faint" />}>
        <PdfView blob={blob} />
      </Suspense>
    );
  return <TextView blob={blob} name={name} />;
}

function ImageView({ blob, type, name }: { blob: Blob; type: string; name: string }) {
  const address = useAddress(blob, type);
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="text-muted">This image cannot be shown. Download it to see it.</p>;
  return (
    address && (
      <img
        src={address}
        alt={name}
        onError={() => setBroken(true)}
        className="mx-auto max-h-[70dvh] max-w-full object-contain"
      />
    )
  );
}

function TextView({ blob, name }: { blob: Blob; name: string }) {
  const { data: text } = useQuery({
    queryKey: ["text of", name, blob.size],
    queryFn: () => readText(blob),
    gcTime: 0,
  });
  if (text === undefined) return <Spinner className="text-faint" />;
  if (text === null) return <p className="text-muted">This is not text. Download it to see it.</p>;
  const shown = text.slice(0, MAX_TEXT);
  return (
    <>
      {/\.csv$|\.tsv$/i.test(name) ? (
        <CsvView text={shown} separator={/\.tsv$/i.test(name) ? "\t" : ","} />
      ) : /\.(md|markdown)$/i.test(name) ? (
        <MarkdownFile text={shown} />
      ) : (
        <CodeBlock code={shown} language={languageOf(name) ?? "text"} numbered />
      )}
      {text.length > MAX_TEXT && (
        <p className="mt-2 text-xs text-faint">Cut here. The download is complete.</p>
      )}
    </>
  );
}

function CsvView({ text, separator }: { text: string; separator: string }) {
  const [head = [], ...rows] = useMemo(() => parseCsv(text, separator, 500), [text, separator]);
  return (
    <Table
      label="Table"
      head={head.map((cell, index) => <HeadCell key={`${index} ${cell}`}>{showUnseen(cell)}</HeadCell>)}
    >
      {rows.map((row, index) => (
        <tr key={index}>
          {head.map((cell, column) => (
            <Cell key={`${column} ${cell}`} className="h-8">
              {showUnseen(row[column] ?? "")}
            </Cell>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** Decodes UTF-8 text. Returns null for other bytes. */
async function readText(blob: Blob): Promise<string | null> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

function useAddress(blob: Blob, type: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  return address;
}
