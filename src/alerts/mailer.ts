/** Sends mail to one person; handed in by whoever puts the rooms together. */
export interface Mailer {
  /** True where mails really leave; they then go to confirmed addresses alone. */
  readonly sends: boolean;
  /** Never rejects. `logged`: for want of an SMTP server; `fault`: what went wrong, without a dot at its end. */
  send(
    mail: AlertMail,
  ): Promise<{ kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; fault: string }>;
}

interface AlertMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What the log shows where no mail can leave. */
  link: string | null;
}
