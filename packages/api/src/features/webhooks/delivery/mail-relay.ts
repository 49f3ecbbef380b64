import type { Transporter } from "nodemailer";

/** The SMTP relay of the installation. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if it needs them. */
  url: string;
  /** The sender's address. */
  from: string;
}

export interface Mail {
  /** The event's id. All tries of a mail have the same `Message-ID`. */
  id: string;
  to: readonly string[];
  /** One line. */
  subject: string;
  text: string;
}

const TIMEOUT_MS = 10_000;

/** Hands mails to an SMTP relay, over a few connections that it keeps. */
export class MailRelay {
  readonly #settings: MailSettings;
  #transport: Promise<Transporter> | undefined;

  constructor(settings: MailSettings) {
    this.#settings = settings;
  }

  /** Resolves once the relay has accepted the mail for at least one recipient. */
  async send({ id, to, subject, text }: Mail): Promise<void> {
    const { from } = this.#settings;
    this.#transport ??= connected(this.#settings.url);
    const transport = await this.#transport;
    const domain = from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
    await transport.sendMail({ messageId: `<${id}@${domain}>`, from, to: [...to], subject, text });
  }

  async close(): Promise<void> {
    (await this.#transport)?.close();
  }
}

/** The library is loaded with the first mail. It may read no files and no addresses for a message's parts. */
async function connected(url: string): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...{ url, pool: true, maxConnections: 4, disableFileAccess: true, disableUrlAccess: true },
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
  });
}
