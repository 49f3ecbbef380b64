import type { PDFPageProxy } from "pdfjs-dist";

/** Limits of a drawing, in pixels, whatever the page size in the file. */
const MAX_AREA = 16_000_000;
const MAX_SIDE = 8_192;
/** The largest number of device pixels per CSS pixel. */
const MAX_FINENESS = 2;
/** The longest text of a page, in characters. */
const MAX_TEXT = 20_000;

export interface PdfDrawing {
  /** The size in CSS pixels. */
  width: number;
  height: number;
  /** The text of the page, in the order of the file. */
  text: string;
}

/**
 * Draws a page, `width` CSS pixels wide or narrower if it would exceed the limits. Rejects when `signal`
 * aborts.
 */
export async function drawPage(
  page: PDFPageProxy,
  width: number,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
): Promise<PdfDrawing> {
  signal.throwIfAborted();
  const fineness = Math.min(devicePixelRatio, MAX_FINENESS);
  const viewport = page.getViewport({ scale: scaleOf(page, width * fineness) });
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  const task = page.render({ canvas, viewport });
  signal.addEventListener("abort", () => task.cancel(), { once: true });
  await task.promise;
  return {
    width: viewport.width / fineness,
    height: viewport.height / fineness,
    text: await textOf(page),
  };
}

function scaleOf(page: PDFPageProxy, pixels: number): number {
  const { width, height } = page.getViewport({ scale: 1 });
  return Math.min(pixels / width, MAX_SIDE / Math.max(width, height), Math.sqrt(MAX_AREA / (width * height)));
}

async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const words = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""));
  return words.join("").slice(0, MAX_TEXT);
}
