/** A team's activity (§5.10). Codes are stored; pages have the words. */

/** Areas that a list can be narrowed to. Only people who manage members see `access`. */
export const ACTIVITY_AREAS = {
  crons: 'Crons',
  queues: 'Queues',
  jobs: 'Jobs',
  maintenance: 'Maintenance',
  notifications: 'Notifications',
  team: 'Team and members',
  access: 'Sign-in, tokens and secrets',
} as const;
export type ActivityArea = keyof typeof ACTIVITY_AREAS;

interface ActionFacts {
  area: ActivityArea;
  words: string;
}

const ACTIONS = {
  'cron.created': { area: 'crons', words: 'Created the cron' },
  'cron.edited': { area: 'crons', words: 'Changed the cron' },
  'cron.started': { area: 'crons', words: 'Started the cron' },
  'cron.paused': { area: 'crons', words: 'Paused the cron' },
  'cron.stopped': { area: 'crons', words: 'Stopped the cron' },
  'cron.run': { area: 'crons', words: 'Ran the cron now' },
  'cron.muted': { area: 'crons', words: 'Muted the cron' },
  'cron.unmuted': { area: 'crons', words: 'Unmuted the cron' },
  'cron.deleted': { area: 'crons', words: 'Deleted the cron' },
  'queue.edited': { area: 'queues', words: 'Changed the queue' },
  'queue.created': { area: 'queues', words: 'Created the queue' },
  'queue.paused': { area: 'queues', words: 'Paused the queue' },
  'queue.resumed': { area: 'queues', words: 'Enabled the queue' },
  'queue.deleted': { area: 'queues', words: 'Deleted the queue' },
  'job.created': { area: 'jobs', words: 'Created the job' },
  'job.edited': { area: 'jobs', words: 'Changed the waiting job' },
  'job.fired': { area: 'jobs', words: 'Fired the job now' },
  'job.retried': { area: 'jobs', words: 'Retried the job' },
  'job.deleted': { area: 'jobs', words: 'Deleted the job' },
  'jobs.fired': { area: 'jobs', words: 'Fired now' },
  'jobs.retried': { area: 'jobs', words: 'Retried' },
  'jobs.deleted': { area: 'jobs', words: 'Deleted' },
  'jobs.cancelled': { area: 'jobs', words: 'Stopped a bulk action' },
  'window.created': { area: 'maintenance', words: 'Created the maintenance window' },
  'window.edited': { area: 'maintenance', words: 'Changed the maintenance window' },
  'window.deleted': { area: 'maintenance', words: 'Deleted the maintenance window' },
  'channel.added': { area: 'notifications', words: 'Added the notification channel' },
  'channel.edited': { area: 'notifications', words: 'Changed a notification channel' },
  'channel.tested': { area: 'notifications', words: 'Sent a test through a notification channel' },
  'channel.address-confirmed': {
    area: 'notifications',
    words: 'Confirmed an address of the notification channel',
  },
  'channel.address-stopped': {
    area: 'notifications',
    words: 'Stopped mails of the notification channel',
  },
  'channel.deleted': { area: 'notifications', words: 'Deleted the notification channel' },
  'team.paused': { area: 'team', words: 'Paused everything' },
  'team.resumed': { area: 'team', words: 'Resumed everything' },
  'team.edited': { area: 'team', words: 'Changed the settings of the team' },
  'team.renamed': { area: 'team', words: 'Renamed the team' },
  'team.transferred': { area: 'team', words: 'Changed the owner' },
  'team.plan': { area: 'team', words: 'Changed the plan' },
  'member.invited': { area: 'team', words: 'Invited' },
  'member.invitation-revoked': { area: 'team', words: 'Withdrew an invitation' },
  'member.added': { area: 'team', words: 'Added to the team' },
  'member.joined': { area: 'team', words: 'Joined the team' },
  'member.role': { area: 'team', words: 'Changed the role of' },
  'member.removed': { area: 'team', words: 'Removed from the team' },
  'member.left': { area: 'team', words: 'Left the team' },
  'member.group-joined': { area: 'team', words: 'Joined the team' },
  'member.group-role': { area: 'team', words: 'Got another role' },
  'member.group-left': { area: 'team', words: 'Left the team' },
  'signing.generated': { area: 'access', words: 'Made a new signing secret' },
  'signing.next-generated': { area: 'access', words: 'Made the next signing secret' },
  'signing.next-shown': { area: 'access', words: 'Looked at the next signing secret' },
  'signing.next-used': { area: 'access', words: 'Put the next signing secret in force' },
  'signing.next-deleted': { area: 'access', words: 'Deleted the next signing secret' },
  'signing.shown': { area: 'access', words: 'Looked at the signing secret' },
  'signing.deleted': { area: 'access', words: 'Deleted the signing secret' },
  'service-account.created': { area: 'access', words: 'Created the service account' },
  'service-account.revoked': { area: 'access', words: 'Revoked the service account' },
  'cron.secrets-shown': { area: 'access', words: 'Looked at secrets of the cron' },
  'job.secrets-shown': { area: 'access', words: 'Looked at secrets of the job' },
  'account.signed-in': { area: 'access', words: 'Signed in' },
  'account.token': { area: 'access', words: 'Made a new API token' },
  'account.email': { area: 'access', words: 'Changed their email' },
  'account.password': { area: 'access', words: 'Changed their password' },
  'account.reset-link': { area: 'access', words: 'Made a link to set a new password' },
  'account.second-factor': { area: 'access', words: 'Changed their second factor' },
  'account.passkey': { area: 'access', words: 'Changed their passkeys' },
  'account.provider': { area: 'access', words: 'Joined their account to the sign-in provider' },
  'account.provider-ended': {
    area: 'access',
    words: 'Parted their account from the sign-in provider',
  },
  'account.signed-out': { area: 'access', words: 'Was signed out everywhere' },
} as const satisfies Record<string, ActionFacts>;

export type ActivityAction = keyof typeof ACTIONS;

export function describeAction(action: string): string {
  return isAction(action) ? ACTIONS[action].words : action;
}

export function actionsOf(areas: readonly ActivityArea[]): ActivityAction[] {
  return Object.keys(ACTIONS).filter(
    (action): action is ActivityAction => isAction(action) && areas.includes(ACTIONS[action].area),
  );
}

function isAction(text: string): text is ActivityAction {
  return Object.hasOwn(ACTIONS, text);
}

export interface ActivityEntry {
  action: ActivityAction;
  /** With its name at that time. */
  subject?: { id: string; name: string };
  /** The changes, or the number of items. */
  detail?: string;
}

/** Doers that are no person. */
export const NAMED_DOERS = {
  'command-line': 'Command line',
  system: 'Belfry',
  /** Of mails to a channel's addresses. */
  recipient: 'A recipient',
} as const;
type NamedDoer = keyof typeof NAMED_DOERS;
export type Doer = { userId: string } | NamedDoer;

export function isNamedDoer(text: string): text is NamedDoer {
  return Object.hasOwn(NAMED_DOERS, text);
}

/** By its stored name. */
export function findNamedDoer(name: string): NamedDoer | undefined {
  return Object.keys(NAMED_DOERS).find(
    (doer): doer is NamedDoer => isNamedDoer(doer) && NAMED_DOERS[doer] === name,
  );
}
