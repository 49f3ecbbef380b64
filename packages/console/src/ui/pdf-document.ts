import type { PDFPageProxy } from "pdfjs-dist";

/** Pixels above which a decoded image is left out. */
const MAX_IMAGE_PIXELS = 50_000_000;

/** An open document. `close` terminates its worker, even while it is working. */
export interface PdfDocument {
  pages: number;
  /** Loads a page; the first is 1. */
  page(number: number): Promise<PDFPageProxy>;
  close(): void;
}

/**
 * Opens a PDF with PDF.js, in a worker. No script in the file is executed, since the console lacks the part
 * of PDF.js that does so, and nothing is fetched for it. The page's content security policy forbids
 * WebAssembly, so images in JPEG 2000, JBIG2 and fax coding are left out.
 *
 * @throws PdfFault
 */
export async function openPdf(blob: Blob): Promise<PdfDocument> {
  const [{ getDocument, PDFWorker }, { default: Port }] = await Promise.all([
    import("pdfjs-dist/legacy/build/pdf.mjs"),
    import("pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker"),
  ]);
  const port = new Port();
  const worker = PDFWorker.create({ port });
  const close = () => {
    worker.destroy();
    port.terminate();
  };
  try {
    const document = await getDocument({
      data: new Uint8Array(await blob.arrayBuffer()),
      worker,
      useWasm: false,
      useWorkerFetch: false,
      maxImageSize: MAX_IMAGE_PIXELS,
      verbosity: 0,
    }).promise;
    return { pages: document.numPages, page: (number) => document.getPage(number), close };
  } catch (error) {
    close();
    throw new PdfFault(error);
  }
}

/** A PDF that cannot be shown, with a message for users. */
export class PdfFault extends Error {
  constructor(cause: unknown) {
    const isProtected = cause instanceof Error && cause.name === "PasswordException";
    super(isProtected ? "The document has a password." : "This is not a PDF, or it is damaged.", {
      cause,
    });
  }
}
