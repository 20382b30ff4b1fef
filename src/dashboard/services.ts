/** Items of other teams are answered as if they didn't exist. */

import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { Actor } from '#people/actor';
import type { TooMany } from '#people/outcomes';
import type { People } from '#people/people';
import type { Work } from '#work/work';

export type * from '#work/bulk-actions';
export type { CronListRow, Durations } from '#work/cron-pages';
export type { DepthStep, Outcomes, OutcomeStep, PeriodFigures } from '#work/figures';
export type { FailureGroup, ShownTask } from '#work/job-pages';
export type { Figures, Overview, Trouble } from '#work/overview';
export type { QueueHistory, QueueListRow, RateWait } from '#work/queue-pages';
export type * from '#work/run-detail';
export type { ExecutionRunDetail, JobDraft, JobRunDetail } from '#work/run-pages';
export type { TestRunOutcome } from '#work/test-run';
export type * from '#work/sources';
export type { FoundRun, HistoryRun, ListPage as RowsPage } from '#work/run-list';
export type { Found } from '#work/finding';

export type { ChannelConfig } from '#domain/alerts/notification-channel';
export type { Alert, AlertFilter, OpenWatch, StoredAlert } from '#work/alerts';
export type {
  ChannelChoice,
  ChannelOutcome,
  ChannelUser,
  ChannelView,
  ListedChannel,
  ShownAddress,
} from '#work/channels';
export type { Activity, ActivityAsked } from '#work/activity';
export type { CronAct, CronsActed, CronsChosen } from '#work/cron-actions';
export type { SameCron } from '#work/crons';
export type { TeamPause } from '#work/team';
export type { Work } from '#work/work';
export type { MaintenanceWindowView, NamedSource, WindowInput } from '#work/windows';

export type { Actor } from '#people/actor';
export type { Passkey } from '#people/passkeys';
export type { ProviderRefusal } from '#people/provider-sign-ins';
export type { Arrival } from '#domain/http/arrival';
export type { ProxyClaim } from '#people/proxy-claim';
export type { ProxyRefusal } from '#people/proxy-sign-ins';
export type { FieldErrors, Refused, TooMany } from '#people/outcomes';
export type { Usage } from '#people/plans';
export type { ServiceAccount } from '#people/service-accounts';
export type { InvitedRole, Permission } from '#people/roles';
export type { Session, SignedIn, TeamOfUser } from '#people/sessions';
export type { RequestContext } from '#people/context';

type Teams = People['teams'];
export type Colleague = Awaited<ReturnType<Teams['listColleagues']>>[number];
export type Member = Awaited<ReturnType<Teams['listMembers']>>[number];
export type Invitation = Awaited<ReturnType<Teams['listInvitations']>>[number];

export type { Counts, Attention } from '#work/overview';

/** Only for tests. */
export interface TestNotifications {
  /** The channel may be unsaved. Of its addresses only those that are confirmed in the stored channel get it. Takes up to about 10 seconds each. `logged`: there is no mail server. */
  sendTest(
    actor: Actor,
    config: ChannelConfig,
    channelId: string | null,
  ): Promise<{ kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string } | TooMany>;
}

export type Services = { people: People; work: Work; notifier: TestNotifications };
