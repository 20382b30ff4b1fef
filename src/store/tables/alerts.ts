/** Alerts and their notifications (§6.4). */
import type { AlertLevel } from '#domain/alerts/alert-streak';
import type { AlertKind } from '#domain/alerts/alert-words';
import type { WatchKind } from '#domain/alerts/queue-watch';
import type { FailureReason } from '#domain/judging/failure';
import { bigint, id, instant, integer, json, oneOf, table, text, yesNo } from './table.ts';

export type AlertDelivery = 'muted' | 'pending' | 'sent' | 'failed';

export const alerts = table(
  'alerts',
  {
    team_id: id(),
    id: id(),
    raised_at: instant(),
    /** `usage`: without a run and sent to nobody (§6.7). */
    level: oneOf<AlertLevel | 'usage'>('warning', 'failure', 'recovery', 'usage'),
    source: oneOf('cron', 'queue', 'team'),
    source_id: id(),
    source_name: text(),
    run_id: id().orNull,
    attempt_number: integer().orNull,
    response_status: integer().orNull,
    reason: text<FailureReason>().orNull,
    error_message: text().orNull,
    /** Consecutive, of a cron. */
    failed_runs: integer().orNull,
    /** Recoveries, reminders and slow runs. */
    down_ms: bigint().orNull,
    delivery: oneOf<AlertDelivery>('muted', 'pending', 'sent', 'failed').orNull,
    muted_by: text().orNull,
    /** Shared by alerts that are sent together. */
    notification_id: id().orNull,
    is_read: yesNo().default(0),
    window_id: id().orNull,
    /** Null for a run's own alert. */
    kind: text<AlertKind>().orNull,
    /** Of usage: `2026-11`, and per cent. */
    month: text().orNull,
    mark: integer<80 | 100>().orNull,
    used: bigint().orNull,
    monthly_limit: bigint().orNull,
  },
  {
    key: ['team_id', 'id'],
    checks: {
      muted_has_no_notification: "(delivery = 'muted') = (notification_id is null)",
      a_run_or_what_else:
        "run_id is not null or level = 'usage' or coalesce(kind, '') in ('backlog', 'failure_rate')",
      usage_has_no_run: "level <> 'usage' or run_id is null",
      usage_is_not_sent: "(level = 'usage') = (delivery is null)",
      usage_has_a_month: "(level = 'usage') = (month is not null)",
    },
    indexes: {
      alerts_unread: { on: ['team_id', 'id'], where: 'is_read = 0' },
      alerts_of_notification: {
        on: ['notification_id', 'id'],
        where: 'notification_id is not null',
      },
      alerts_by_level: { on: ['team_id', 'level', 'id'] },
      alerts_of_source: { on: ['team_id', 'source_id', 'id'] },
      alerts_by_age: { on: ['raised_at'] },
      one_alert_per_mark: {
        on: ['team_id', 'month', 'mark'],
        where: 'month is not null',
        isUnique: true,
      },
      alerts_of_window: { on: ['team_id', 'window_id', 'id'], where: 'window_id is not null' },
    },
  },
);

/** Deleted when all targets were notified or have failed. */
export const notifications = table(
  'notifications',
  {
    team_id: id(),
    id: id(),
    alert_count: integer().atLeast(1),
    /** `NotificationTarget`s that are left. */
    targets: json(),
    /** Also the end of the lease. */
    next_try_at: instant(),
    first_tried_at: instant().orNull,
    attempts: integer().default(0),
    /** After a first try no alerts join the notification. */
    claim_id: id().orNull,
    /** Null for the default channel, and for mails to members. */
    channel_id: id().orNull,
    /** Shared by notifications to several channels. */
    group_id: id(),
    /** Another notification sends the same alerts to the default channel. */
    default_has_alerts: yesNo().default(0),
    /** Notifications of a batch are one message. */
    batch_id: id().orNull,
  },
  {
    key: ['team_id', 'id'],
    indexes: { notifications_waiting: { on: ['team_id', 'next_try_at', 'id'] } },
  },
);

export const alertBursts = table(
  'alert_bursts',
  {
    team_id: id(),
    queue_id: id(),
    level: text<AlertLevel>(),
    quiet_until: instant(),
    gathering_notification_id: id().orNull,
    gathering_until: instant().orNull,
  },
  { key: ['team_id', 'queue_id', 'level'] },
);

/** `SlowSpell` in domain/slow-runs. */
export const slowSpells = table(
  'slow_spells',
  {
    team_id: id(),
    source_id: id(),
    /** A changed limit raises a new alert. */
    slow_seconds: integer(),
    /** Null in a row that only serves as a lock. */
    since: instant().orNull,
    last_at: instant(),
    notified_at: instant(),
  },
  { key: ['team_id', 'source_id'] },
);

/** Of targets (certificates.ts). */
export const endingCertificates = table(
  'ending_certificates',
  {
    team_id: id(),
    source_id: id(),
    host: text(),
    ends_at: instant(),
    /** To the day. */
    seen_at: instant(),
    is_notified: yesNo(),
    /** A run has seen a later one of this host. Kept, because some hosts show both for a while. */
    is_replaced: yesNo(),
  },
  {
    key: ['team_id', 'source_id', 'host', 'ends_at'],
    indexes: { ending_certificates_by_sight: { on: ['seen_at'] } },
  },
);

/** Separate from the queues, whose rows every claim reads. */
export const failingQueues = table(
  'failing_queues',
  {
    team_id: id(),
    queue_id: id(),
    failing_since: instant(),
    remind_at: instant(),
    hours: integer(),
  },
  {
    key: ['team_id', 'queue_id'],
    indexes: { failing_queues_to_remind: { on: ['remind_at'] } },
  },
);

/** `WatchState` in domain/queue-watch: a row for each kind of rule that a queue has. */
export const queueWatches = table(
  'queue_watches',
  {
    team_id: id(),
    queue_id: id(),
    kind: text<WatchKind>(),
    created_at: instant(),
    check_at: instant(),
    seen_at: instant().orNull,
    since: instant().orNull,
    notified_at: instant().orNull,
    /** The result of the last check; null unless its alert is open. */
    words: text().orNull,
  },
  {
    key: ['team_id', 'queue_id', 'kind'],
    indexes: { queue_watches_to_check: { on: ['check_at'] } },
  },
);

/** The team's default, and those that crons and queues may name. */
export const channels = table(
  'channels',
  {
    team_id: id(),
    id: id(),
    is_default: yesNo(),
    name: text().orNull,
    /** See domain/notification-channel; a new one needs no migration. */
    kind: text(),
    /** JSON of its kind's fields. */
    sealed_fields: text().orNull,
    last_sent_at: instant().orNull,
    last_error: text().orNull,
    last_error_at: instant().orNull,
    /** Null: each is sent alone. */
    collect_minutes: integer().orNull,
    /** `Collection` in domain/alert-digest. */
    collecting_id: id().orNull,
    collecting_until: instant().orNull,
    created_at: instant(),
    /** JSON of `ChannelAddress[]`, of the kind `email-addresses`. */
    addresses: json().orNull,
  },
  {
    key: ['team_id', 'id'],
    unique: { channels_name: ['team_id', 'name'] },
    checks: { the_default_has_no_name: '(is_default = 1) = (name is null)' },
    indexes: {
      one_default_channel: { on: ['team_id'], where: 'is_default = 1', isUnique: true },
    },
  },
);

export const maintenanceWindows = table(
  'maintenance_windows',
  {
    team_id: id(),
    id: id(),
    name: text(),
    starts_at: instant(),
    ends_at: instant(),
    is_weekly: yesNo(),
    /** JSON of `MaintenanceWindow['covers']`. */
    covers: json(),
    pauses_runs: yesNo().default(0),
    created_at: instant(),
    /** The last end that was notified (§6.6). */
    notified_until: instant().orNull,
  },
  { key: ['team_id', 'id'], checks: { ends_after_its_start: 'ends_at > starts_at' } },
);
