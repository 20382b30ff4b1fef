/** The tables of alerts, as Kysely sees them; migrations/0003-alerts.ts is what makes them. */
import type { AlertLevel } from '#domain/alert-streak';
import type { FailureReason } from '#domain/failure';

type YesNo = 0 | 1;

/** `reminder`: what was raised before goes on. */
export type AlertKind = 'reminder';
export type AlertDelivery = 'muted' | 'pending' | 'sent' | 'failed';

/** A cron's streak of failed runs: see `Streak` in domain/alert-streak. */
export interface StreakColumns {
  failed_runs: number;
  failing_since: number | null;
  has_raised_failure: YesNo;
  /** When somebody is told again that it still fails. */
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
  /** Recoveries: for how long it was down. */
  down_ms: number | null;
  delivery: AlertDelivery;
  /** The name of the maintenance window, as it was then. */
  muted_by: string | null;
  /** The notice that tells of it; alerts that were told of together share one. */
  notice_id: string | null;
  /** The maintenance window that muted it; null in rows of older versions. */
  window_id: string | null;
  is_read: YesNo;
  /** What it is, where it is no run's own alert. */
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
  /** JSON list of `NoticeTarget`: who is still to be told. */
  targets: string;
  /** Also the end of the lease, while somebody sends it. */
  next_try_at: number;
  first_tried_at: number | null;
  attempts: number;
  /** Names the last try; once there was one, nothing is added to the notice any more. */
  claim_id: string | null;
  /** The channel that it is for; null for the default, and for members. */
  channel_id: string | null;
  /** What its alerts name; notices of the same alerts share it. Null in rows of older versions: the id. */
  group_id: string | null;
  /** Whether the default channel is told of the same alerts by another notice. */
  is_beside_default: YesNo;
  /** Notices of one channel that share it are told as one. */
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

/** What any channel has: the default of a team, and those that crons and queues may name. */
export interface ChannelColumns {
  kind: string;
  /** The address of a webhook, or JSON of the fields of its kind. */
  sealed_url: string | null;
  last_sent_at: number | null;
  last_error: string | null;
  last_error_at: number | null;
  /** For how long it collects notices; null: each is told by itself. */
  collect_minutes: number | null;
  /** What it collects now, and until when: `Collection` in domain/alert-digest. */
  collecting_id: string | null;
  collecting_until: number | null;
}

/** The default of each team that has set one. */
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
  /** The last end of it that was looked at (§6.6). */
  told_until: number | null;
}

export interface MaintenanceWindowSourcesTable {
  team_id: string;
  window_id: string;
  source: 'cron' | 'queue';
  source_id: string;
}

export interface AlertTables {
  alerts: AlertsTable;
  usage_alerts: UsageAlertsTable;
  notices: NoticesTable;
  alert_bursts: AlertBurstsTable;
  notification_channels: NotificationChannelsTable;
  channels: ChannelsTable;
  maintenance_windows: MaintenanceWindowsTable;
  maintenance_window_sources: MaintenanceWindowSourcesTable;
}
