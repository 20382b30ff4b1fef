export interface Mailer {
  /** With SMTP, mails go to confirmed addresses only. */
  readonly sends: boolean;
  /** Never rejects. `logged`: without SMTP; `error`: without a full stop. */
  send(mail: AlertMail): Promise<{ kind: 'sent' | 'logged' } | { kind: 'failed'; error: string }>;
}

interface AlertMail {
  to: string;
  /** One line, so that a name can't inject a mail header. */
  subject: string;
  text: string;
  html: string;
  /** Logged if SMTP isn't set up. */
  link: string | null;
  /** For recipients that aren't members; becomes the mail's `List-Unsubscribe`. */
  stopUrl?: string | undefined;
}
