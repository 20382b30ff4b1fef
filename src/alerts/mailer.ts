/** Sends mail to one person; handed in by whoever puts the rooms together. */
export interface Mailer {
  /** False where mails go to the log for want of an SMTP server. */
  readonly sends: boolean;
  /** True once the server has taken the mail. Never rejects. */
  send(mail: AlertMail): Promise<boolean>;
}

export interface AlertMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What the log shows where no mail can leave. */
  link: string | null;
}
