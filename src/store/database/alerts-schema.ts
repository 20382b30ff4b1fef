/** The tables of alerts, as Kysely sees them; tables/alerts.ts declares them. */
import type { AlertLevel } from '#domain/alert-streak';
import type { FailureReason } from '#domain/failure';

type YesNo = 0 | 1;

/** `reminder`: the failure that was raised before continues. `slow`: it is about how long runs take. */
export type AlertKind = 'reminder' | 'slow';
export type AlertDelivery = 'muted' | 'pending' | 'sent' | 'failed';

/** A cron's streak of failed runs: see `Streak` in domain/alert-streak. */
export interface StreakColumns {
  failed_runs: number;
  failing_since: number | null;
  has_raised_failure: YesNo;
  /** The time of the next reminder that the cron still fails. */
  remind_at: number | null;
}

export interface AlertsTable {
  team_id: string;
  id: string;
  raised_at: number;
  level: AlertLevel;
  source: 'cron' | 'queue';
  source_id: string;
  source_name: string;
  /** An execution's or a job's id. */
  run_id: string;
  attempt_number: number | null;
  response_status: number | null;
  reason: FailureReason | null;
  error_message: string | null;
  /** Crons: consecutive failed runs. */
  failed_runs: number | null;
  /** Recoveries and what is told again: for how long it was or is down, or slow. */
  down_ms: number | null;
  delivery: AlertDelivery;
  /** The name of the maintenance window, as it was then. */
  muted_by: string | null;
  /** The group of notices that tell of the alert; alerts that are sent together share one. */
  notice_id: string | null;
  /** The maintenance window that muted it. */
  window_id: string | null;
  is_read: YesNo;
  /** The kind of an alert that no run has raised, such as a reminder; null for a run's own alert. */
  kind: AlertKind | null;
}

export interface UsageAlertsTable {
  team_id: string;
  month: string;
  mark: 80 | 100;
  id: string;
  raised_at: number;
  used: number;
  monthly_limit: number;
  is_read: YesNo;
}

export interface NoticesTable {
  team_id: string;
  id: string;
  alert_count: number;
  /** JSON list of `NoticeTarget`: the recipients that are not told yet. */
  targets: string;
  /** Also the end of the lease while a node sends the notice. */
  next_try_at: number;
  first_tried_at: number | null;
  attempts: number;
  /** The id of the last try. After a first try no alerts join the notice. */
  claim_id: string | null;
  /** The notice's channel; null for the default one, and for mails to members. */
  channel_id: string | null;
  /** The group of alerts, shared by notices to several channels. */
  group_id: string;
  /** Whether another notice tells the default channel of the same alerts. */
  is_beside_default: YesNo;
  /** Notices of one channel with the same batch are sent as one message. */
  batch_id: string | null;
}

export interface AlertBurstsTable {
  team_id: string;
  queue_id: string;
  level: AlertLevel;
  quiet_until: number;
  gathering_notice_id: string | null;
  gathering_until: number | null;
}

/** A cron or queue that is slow: `SlowSpell` in domain/slow-runs. */
export interface SlowSpellsTable {
  team_id: string;
  source_id: string;
  /** That it is slow by: what was slow by another one is told of anew. */
  rule: string;
  /** Null in a row that was only just made to be held. */
  since: number | null;
  last_at: number;
  told_at: number;
}

/** The columns of any channel: a team's default one, and those that crons and queues may name. */
export interface ChannelColumns {
  kind: string;
  /** The sealed address of a webhook or chat, or sealed JSON of the fields of its kind. */
  sealed_url: string | null;
  last_sent_at: number | null;
  last_error: string | null;
  last_error_at: number | null;
  /** How many minutes the channel collects notices; null: each is sent by itself. */
  collect_minutes: number | null;
  /** The batch that it collects now, and the end of the collecting: `Collection` in domain/alert-digest. */
  collecting_id: string | null;
  collecting_until: number | null;
}

/** The default channel of each team that has set one. */
export interface NotificationChannelsTable extends ChannelColumns {
  team_id: string;
}

export interface ChannelsTable extends ChannelColumns {
  team_id: string;
  id: string;
  name: string;
  created_at: number;
}

export interface MaintenanceWindowsTable {
  team_id: string;
  id: string;
  name: string;
  starts_at: number;
  ends_at: number;
  is_weekly: YesNo;
  covers_team: YesNo;
  created_at: number;
  /** The last end of the window for which notices were made (§6.6). */
  told_until: number | null;
}

export interface MaintenanceWindowSourcesTable {
  team_id: string;
  window_id: string;
  source: 'cron' | 'queue';
  source_id: string;
}

export interface FailingQueuesTable {
  team_id: string;
  queue_id: string;
  failing_since: number;
  /** The time of the next reminder. */
  remind_at: number;
  /** After how many hours each comes. */
  hours: number;
}

export interface AlertTables {
  alerts: AlertsTable;
  usage_alerts: UsageAlertsTable;
  notices: NoticesTable;
  alert_bursts: AlertBurstsTable;
  slow_spells: SlowSpellsTable;
  failing_queues: FailingQueuesTable;
  notification_channels: NotificationChannelsTable;
  channels: ChannelsTable;
  maintenance_windows: MaintenanceWindowsTable;
  maintenance_window_sources: MaintenanceWindowSourcesTable;
}
