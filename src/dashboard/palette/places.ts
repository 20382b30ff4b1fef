import { may, type Permission, type Role } from '#people/roles';

export type Place = {
  name: string;
  to: string;
  /** Without it the page answers 403. */
  needs?: Permission | undefined;
};

export const places = [
  { name: 'Overview', to: '/', glyph: 'overview' },
  { name: 'Crons', to: '/crons', glyph: 'crons' },
  { name: 'Queues', to: '/queues', glyph: 'queues' },
  { name: 'Jobs', to: '/jobs', glyph: 'jobs' },
  { name: 'Runs', to: '/runs', glyph: 'runs' },
  { name: 'Failures', to: '/failures', glyph: 'failures' },
  { name: 'Alerts', to: '/alerts', glyph: 'alerts' },
  { name: 'Maintenance', to: '/maintenance', glyph: 'maintenance' },
] as const satisfies readonly (Place & { glyph: string })[];

const beginnings: readonly Place[] = [
  { name: 'Create job', to: '/jobs/new', needs: 'work' },
  { name: 'Create cron', to: '/crons/new', needs: 'work' },
  { name: 'Create queue', to: '/queues/new', needs: 'work' },
  { name: 'Create maintenance window', to: '/maintenance/new', needs: 'work' },
];

export const settingsPages: readonly Place[] = [
  { name: 'Profile', to: '/settings/profile' },
  { name: 'API token', to: '/settings/api-token' },
  { name: 'Team', to: '/settings/team' },
  { name: 'Members', to: '/settings/members' },
  { name: 'Service accounts', to: '/settings/service-accounts', needs: 'service-accounts' },
  { name: 'Webhook signing', to: '/settings/signing', needs: 'signing-secret' },
  { name: 'Notifications', to: '/settings/notifications', needs: 'notifications' },
  { name: 'Billing', to: '/settings/billing', needs: 'billing' },
  { name: 'Activity', to: '/settings/activity' },
];

const palettePages: readonly Place[] = [
  ...places,
  ...beginnings,
  ...settingsPages.map(({ name, to, needs }) => ({ name: `Settings: ${name}`, to, needs })),
];

export function findPalettePages(role: Role): readonly Place[] {
  return palettePages.filter((place) => mayOpenPlace(role, place));
}

export function mayOpenPlace(role: Role, { needs }: Place): boolean {
  return needs === undefined || may(role, needs);
}
