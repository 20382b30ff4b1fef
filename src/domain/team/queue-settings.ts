import { type AlertSettings, NO_ALERT_SETTINGS } from '../alerts/alert-settings.ts';
import type { Assertion } from '../judging/assertion.ts';
import { LIMITS } from '../base/limits.ts';
import { NO_WATCH, type WatchRules } from '../alerts/queue-watch.ts';
import type { Rate } from './rate.ts';
import { DEFAULT_RETRY_SCHEDULE } from '../judging/retry-schedule.ts';

/** A job can override some (§2.3). */
export interface QueueSettings {
  timeoutSeconds: number;
  /** Seconds (§3.4). */
  retrySchedule: readonly number[];
  retriesEnabled: boolean;
  concurrencyLimit: number | null;
  /** Over all nodes (§3.8). */
  rate: Rate | null;
  assertions: readonly Assertion[];
  emailAlerts: boolean;
  deadLetterDays: number;
  isPaused: boolean;
  /** When the pause ends automatically. */
  pausedUntil: number | null;
  alertSettings: AlertSettings;
  watch: WatchRules;
  /** Otherwise only the size of a response's body is stored. */
  keepsResponseBody: boolean;
  /** Sorted, each once (§2.13). */
  tags: readonly string[];
}

export const DEFAULT_QUEUE_SETTINGS: QueueSettings = {
  timeoutSeconds: LIMITS.timeoutSeconds.initial,
  retrySchedule: DEFAULT_RETRY_SCHEDULE,
  retriesEnabled: true,
  concurrencyLimit: null,
  rate: null,
  assertions: [],
  emailAlerts: false,
  deadLetterDays: LIMITS.deadLetterDays.initial,
  isPaused: false,
  pausedUntil: null,
  alertSettings: NO_ALERT_SETTINGS,
  watch: NO_WATCH,
  keepsResponseBody: true,
  tags: [],
};
