import type { Transporter } from 'nodemailer';
import type { Log } from '#domain/base/log';

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

/** `logged`: there is no mail server. `error` may be shown to the user who requested the mail. */
export type MailOutcome = { kind: 'sent' | 'logged' } | { kind: 'failed'; error: string };

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
  if (smtpUrl !== null) return createSmtpMailer(smtpUrl, from, log);
  return {
    sends: false,
    send: async ({ to, subject, link }) => {
      log.info('mail.written-to-log', { to, subject, ...(link === null ? {} : { link }) });
      return { kind: 'logged' };
    },
    close: () => {},
  };
}

function createSmtpMailer(url: string, from: string, log: Log): Mailer {
  let transport: Promise<Transporter> | null = null;
  const open = () =>
    import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url,
        pool: true,
        maxConnections: MOST_CONNECTIONS,
        disableFileAccess: true,
        disableUrlAccess: true,
        ...LIMITS_MS,
      } as Parameters<typeof createTransport>[0]),
    );
  return {
    sends: true,
    send: async ({ to, subject, text, html, stopUrl }) => {
      const content = {
        subject,
        text,
        ...(html !== undefined && { html }),
        ...(stopUrl !== undefined && { headers: unsubscribeHeaders(stopUrl) }),
      };
      try {
        transport ??= open();
        // As a text, a name could add recipients.
        const recipient = { name: '', address: to };
        await (await transport).sendMail({ from, to: recipient, ...content });
        return { kind: 'sent' };
      } catch (error) {
        log.warn('mail.not-sent', { to, subject, error });
        return { kind: 'failed', error: describeFault(error) };
      }
    },
    close: () => void transport?.then((opened) => opened.close()).catch(() => {}),
  };
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
