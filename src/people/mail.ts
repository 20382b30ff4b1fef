import type { Transporter } from 'nodemailer';
import type { Log } from '#domain/log';

/** A mail to one person, in plain text and, where it is given, as a page besides. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** The link that the text is about: what is logged where no mail can leave. */
  link: string | null;
}

/** Sends mail, or says that it can't. */
export interface Mailer {
  /** True where mails really leave by SMTP; otherwise links are in the log. */
  readonly sends: boolean;
  /** True once the server has taken the mail. Never throws: what went wrong is in the log. */
  send(mail: Mail): Promise<boolean>;
  /** The doctor's question: null when the server can be spoken to, else what is wrong. */
  check(): Promise<string | null>;
  close(): void;
}

export interface MailSettings {
  /** As SMTP_URL: `smtp://user:password@host:port`. */
  smtpUrl: string | null;
  from: string;
}

const LIMITS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
const MOST_CONNECTIONS = 2;

/** By SMTP where it is set up; otherwise each mail is an event in the log, with its link (D38). */
export function createMailer({ smtpUrl, from }: MailSettings, log: Log): Mailer {
  return smtpUrl === null ? new LogMailer(log) : new SmtpMailer(smtpUrl, from, log);
}

class LogMailer implements Mailer {
  readonly sends = false;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  async send({ to, subject, link }: Mail): Promise<boolean> {
    this.#log.info('mail.written-to-log', { to, subject, ...(link === null ? {} : { link }) });
    return false;
  }

  async check(): Promise<string | null> {
    return null;
  }

  close(): void {}
}

class SmtpMailer implements Mailer {
  readonly sends = true;
  readonly #url: string;
  readonly #from: string;
  readonly #log: Log;
  #transport: Promise<Transporter> | null = null;

  constructor(url: string, from: string, log: Log) {
    this.#url = url;
    this.#from = from;
    this.#log = log;
  }

  async send({ to, subject, text, html }: Mail): Promise<boolean> {
    const content = { subject, text, ...(html === undefined ? {} : { html }) };
    try {
      const transport = await this.#open();
      // An address object: a name in the text of an address could otherwise bring recipients of its own.
      await transport.sendMail({ from: this.#from, to: { name: '', address: to }, ...content });
      return true;
    } catch (error) {
      this.#log.warn('mail.not-sent', { to, subject, error });
      return false;
    }
  }

  async check(): Promise<string | null> {
    try {
      const transport = await this.#open();
      await transport.verify();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  close(): void {
    this.#transport?.then((transport) => transport.close()).catch(() => {});
  }

  /** Loaded with the first mail: most installations start and idle without one. */
  #open(): Promise<Transporter> {
    this.#transport ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url: this.#url,
        pool: true,
        maxConnections: MOST_CONNECTIONS,
        disableFileAccess: true,
        disableUrlAccess: true,
        ...LIMITS_MS,
      } as Parameters<typeof createTransport>[0]),
    );
    return this.#transport;
  }
}
