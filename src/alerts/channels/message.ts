import type { AlertLevel } from '#domain/alert-streak';

/**
 * The content of an alert, before a channel formats it. Every text comes in part from outside (names, errors,
 * responses): a channel escapes everything that its format would read as markup.
 */
export interface Message {
  level: AlertLevel | 'test';
  teamId: string;
  teamName: string;
  /** One line. */
  title: string;
  /** One line each. */
  facts: readonly { label: string; value: string }[];
  /** The start of the response; null where it is empty or not readable as text. */
  excerpt: string | null;
  link: Link;
  /** The team's runbook page. Its URL has no character that could break out of markup. */
  runbook: Link | null;
  /** The same content for programs; null in a test and in a digest. */
  details: MessageDetails | null;
  /** The messages that a digest combines; empty in any other message. */
  parts: readonly Message[];
}

export interface Link {
  label: string;
  url: string;
}

/** A cron or queue that a message is about. */
export interface Subject {
  kind: 'cron' | 'queue';
  id: string;
  name: string;
}

/** The first alert of a message, as recorded. */
export interface MessageDetails {
  /** Stays the same when the notice is sent again. */
  noticeId: string;
  kind: 'reminder' | 'slow' | null;
  alertCount: number;
  /** The cron or queue, or the crons, of the message. */
  subjects: readonly Subject[];
  runId: string;
  raisedAt: number;
  attemptNumber: number | null;
  responseStatus: number | null;
  reason: string | null;
  /** The run's error, with everything hidden that repeats the request (see `hideEchoes`). */
  errorMessage: string | null;
  failedRuns: number | null;
  downMs: number | null;
  note: string | null;
}

/** Cuts a text to at most `most` characters (code points). */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 1));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
