import type { AlertLevel } from '#domain/alerts/alert-streak';
import type { StoredAlert } from '#store/alerts/alerts';

/** Its texts come from outside: a channel escapes everything that it would read as markup. */
export interface Message {
  level: AlertLevel | 'test';
  teamId: string;
  teamName: string;
  title: string;
  facts: readonly { label: string; value: string }[];
  /** Null if it is empty or not text. */
  excerpt: string | null;
  link: Link;
  /** Its URL has no character that could break out of markup. */
  runbook: Link | null;
  /** For programs; null in a test and in a digest. */
  details: MessageDetails | null;
  parts: readonly Message[];
}

export interface Link {
  label: string;
  url: string;
}

export type Subject = StoredAlert['source'];

/** `errorMessage` is without parts that repeat the request (see `hideEchoes`). */
export interface MessageDetails extends Pick<
  StoredAlert,
  | 'kind'
  | 'runId'
  | 'raisedAt'
  | 'attemptNumber'
  | 'responseStatus'
  | 'reason'
  | 'errorMessage'
  | 'failedRuns'
  | 'downMs'
> {
  /** Stays the same when the notification is sent again. */
  notificationId: string;
  alertCount: number;
  subjects: readonly Subject[];
  note: string | null;
}
