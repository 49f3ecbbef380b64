import { type RefObject, useEffect, useRef, useState } from "react";
import { showUnseen } from "../format/visible-text.ts";
import { cx } from "./cx.ts";
import type { PdfDocument } from "./pdf-document.ts";
import { drawPage, type PdfDrawing } from "./pdf-drawing.ts";

type Props = { document: PdfDocument; number: number; width: number };

/** Shows a page of a PDF, drawn while it is near the viewport, with its text for screen readers. */
export function PdfPage({ document, number, width }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawing, setDrawing] = useState<PdfDrawing | null>(null);
  const [isFaulty, setIsFaulty] = useState(false);
  const isNear = useNearness(frame);
  useEffect(() => {
    const target = canvas.current;
    if (!isNear || target === null) return;
    const stop = new AbortController();
    document
      .page(number)
      .then((page) => drawPage(page, width, target, stop.signal))
      .then(setDrawing)
      .catch(() => setIsFaulty(!stop.signal.aborted));
    return () => {
      stop.abort();
      // A canvas keeps its pixels in memory until it has no size.
      target.width = 0;
    };
  }, [document, number, width, isNear]);
  return (
    <div
      ref={frame}
      className={cx(
        "max-w-full self-center border border-line bg-white",
        drawing === null && "aspect-[1/1.414]",
      )}
      style={drawing === null ? { width } : { width: drawing.width, height: drawing.height }}
    >
      <canvas ref={canvas} role="img" aria-label={`Page ${number}`} className="size-full" />
      {drawing !== null && <p className="sr-only">{showUnseen(drawing.text)}</p>}
      {isFaulty && <p className="p-4 text-sm text-black">This page is damaged.</p>}
    </div>
  );
}

function useNearness(frame: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new IntersectionObserver(([entry]) => setIsNear(entry?.isIntersecting ?? false), {
      rootMargin: "100%",
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return isNear;
}
