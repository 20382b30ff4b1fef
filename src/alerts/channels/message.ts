import type { AlertLevel } from '#domain/alert-streak';

/**
 * What is said of an alert, before any channel gives it its own form. Every text comes from outside in
 * part (names, errors, responses): a channel escapes what its format would read as markup.
 */
export interface Message {
  level: AlertLevel | 'test';
  teamId: string;
  teamName: string;
  /** One line. */
  title: string;
  /** One line each. */
  facts: readonly { label: string; value: string }[];
  /** The start of the response, or null where there is none that can be read. */
  excerpt: string | null;
  link: Link;
  /** A page of the team that tells what to do; an address that no markup breaks. */
  runbook: Link | null;
  /** The same for programs; null in a test. */
  details: MessageDetails | null;
  /** What it tells of together; empty unless its channel collects notices. */
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

/** What a message says of the first alert that it tells of, as it was recorded. */
export interface MessageDetails {
  /** The same however often it is sent. */
  noticeId: string;
  kind: 'reminder' | null;
  alertCount: number;
  /** One, or several crons that are told of together. */
  subjects: readonly Subject[];
  runId: string;
  raisedAt: number;
  attemptNumber: number | null;
  responseStatus: number | null;
  reason: string | null;
  /** Without what it repeats of the request. */
  errorMessage: string | null;
  failedRuns: number | null;
  downMs: number | null;
  note: string | null;
}

/** A text of so many characters (code points) at most. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 1));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
