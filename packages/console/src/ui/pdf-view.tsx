import { useEffect, useState } from "react";
import { formatPlural } from "../format/numbers.ts";
import { Spinner } from "./button.tsx";
import { openPdf, type PdfDocument } from "./pdf-document.ts";
import { PdfPage } from "./pdf-page.tsx";
import { useWidth } from "./use-width.ts";

/** Pages to show at most; the download has all of them. */
const MAX_PAGES = 200;
/** The largest width of a page, in pixels. */
const MAX_WIDTH = 900;

/** Shows the pages of a PDF. */
export function PdfView({ blob }: { blob: Blob }) {
  const { document, fault } = usePdf(blob);
  const [measure, width] = useWidth();
  return (
    <div ref={measure} className="flex flex-col gap-3">
      {fault !== null && <p className="text-muted">{fault.message} Download it to see it.</p>}
      {document === null && fault === null && <Spinner className="text-faint" />}
      {document !== null && width > 0 && <Pages document={document} width={Math.min(width, MAX_WIDTH)} />}
    </div>
  );
}

function Pages({ document, width }: { document: PdfDocument; width: number }) {
  const { pages } = document;
  return (
    <>
      {Array.from({ length: Math.min(pages, MAX_PAGES) }, (_, index) => (
        <PdfPage key={index} document={document} number={index + 1} width={width} />
      ))}
      <p className="text-center text-xs text-faint">
        {pages > MAX_PAGES
          ? `Cut here, after ${MAX_PAGES} of ${pages} pages. The download is complete.`
          : formatPlural(pages, "page")}
      </p>
    </>
  );
}

type Opened = { document: PdfDocument | null; fault: Error | null };

function usePdf(blob: Blob): Opened {
  const [opened, setOpened] = useState<Opened>({ document: null, fault: null });
  useEffect(() => {
    let isCurrent = true;
    const opening = openPdf(blob);
    opening.then(
      (document) => isCurrent && setOpened({ document, fault: null }),
      (fault: Error) => isCurrent && setOpened({ document: null, fault }),
    );
    return () => {
      isCurrent = false;
      opening.then(
        ({ close }) => close(),
        () => undefined,
      );
      setOpened({ document: null, fault: null });
    };
  }, [blob]);
  return opened;
}
