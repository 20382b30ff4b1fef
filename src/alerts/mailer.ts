/** Sends mail to one person. The caller that builds the rooms passes it in. */
export interface Mailer {
  /** True where an SMTP server is set up. Mails then go to confirmed addresses only. */
  readonly sends: boolean;
  /** Never rejects. `logged`: no SMTP server is set up; `fault`: the error, without a full stop. */
  send(
    mail: AlertMail,
  ): Promise<{ kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; fault: string }>;
}

interface AlertMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The link that the log shows where no SMTP server is set up. */
  link: string | null;
}
