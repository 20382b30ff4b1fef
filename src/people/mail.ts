import type { Transporter } from 'nodemailer';
import type { Log } from '#domain/log';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** Logged if no mail server is set. */
  link: string | null;
  /** Stops mails of this kind: with a POST at once (RFC 8058), else with a button. */
  stopUrl?: string | undefined;
}

/** `fault` may be shown to the user who requested the mail. */
type MailOutcome = { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; fault: string };

export interface Mailer {
  readonly sends: boolean;
  /** Never rejects. */
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

interface MailSettings {
  /** `smtp://user:password@host:port` */
  smtpUrl: string | null;
  from: string;
}

const LIMITS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
const MOST_CONNECTIONS = 2;

/** Without SMTP, mails are logged with their links (§5.7). */
export function createMailer({ smtpUrl, from }: MailSettings, log: Log): Mailer {
  return smtpUrl === null ? new LogMailer(log) : new SmtpMailer(smtpUrl, from, log);
}

class LogMailer implements Mailer {
  readonly sends = false;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  async send({ to, subject, link }: Mail): Promise<MailOutcome> {
    this.#log.info('mail.written-to-log', { to, subject, ...(link === null ? {} : { link }) });
    return { kind: 'logged' };
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

  async send({ to, subject, text, html, stopUrl }: Mail): Promise<MailOutcome> {
    const content = {
      subject,
      text,
      ...(html !== undefined && { html }),
      ...(stopUrl !== undefined && { headers: unsubscribeHeaders(stopUrl) }),
    };
    try {
      const transport = await this.#open();
      // As a text, a name could add recipients.
      await transport.sendMail({ from: this.#from, to: { name: '', address: to }, ...content });
      return { kind: 'sent' };
    } catch (error) {
      this.#log.warn('mail.not-sent', { to, subject, error });
      return { kind: 'failed', fault: describeFault(error) };
    }
  }

  close(): void {
    this.#transport?.then((transport) => transport.close()).catch(() => {});
  }

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

/** RFC 2369, RFC 8058. */
function unsubscribeHeaders(url: string) {
  return {
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

const MOST_OF_ANSWER = 200;
/** The library's codes for no answer or no TLS. */
const UNREACHABLE = new Set<unknown>(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ETLS']);

function describeFault(error: unknown): string {
  const { code, response } = (error ?? {}) as { code?: unknown; response?: unknown };
  if (code === 'EAUTH') return 'the mail server refused the login';
  if (typeof response === 'string' && response.trim() !== '') {
    const answer = response.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    return `the mail server said “${answer.slice(0, MOST_OF_ANSWER).toWellFormed()}”`;
  }
  return UNREACHABLE.has(code)
    ? 'the mail server cannot be reached'
    : 'it could not be handed to the mail server';
}
