import type { GlyphName } from '../parts/Glyph.tsx';

/** The pages that the navigation, the command palette and the keyboard shortcuts lead to. */
export type Place = { name: string; to: string; glyph: GlyphName; keys: string };

export const places: readonly Place[] = [
  { name: 'Overview', to: '/', glyph: 'overview', keys: 'g o' },
  { name: 'Crons', to: '/crons', glyph: 'crons', keys: 'g c' },
  { name: 'Queues', to: '/queues', glyph: 'queues', keys: 'g q' },
  { name: 'Jobs', to: '/jobs', glyph: 'jobs', keys: 'g j' },
  { name: 'Runs', to: '/runs', glyph: 'runs', keys: 'g r' },
  { name: 'Failures', to: '/failures', glyph: 'failures', keys: 'g f' },
  { name: 'Alerts', to: '/alerts', glyph: 'alerts', keys: 'g a' },
  { name: 'Maintenance', to: '/maintenance', glyph: 'maintenance', keys: 'g m' },
];

export const settings: Place = {
  name: 'Settings',
  to: '/settings/profile',
  glyph: 'settings',
  keys: 'g s',
};

/** Pages that create something, which can be opened from anywhere. */
export const beginnings: readonly Place[] = [
  { name: 'Create job', to: '/jobs/new', glyph: 'plus', keys: 'c j' },
  { name: 'Create cron', to: '/crons/new', glyph: 'plus', keys: 'c c' },
  { name: 'Create queue', to: '/queues/new', glyph: 'plus', keys: 'c q' },
  { name: 'Create maintenance window', to: '/maintenance/new', glyph: 'plus', keys: 'c m' },
];

/** Everything that has a keyboard shortcut. */
export const reachable: readonly Place[] = [...places, settings, ...beginnings];

/** Further pages that the palette finds by name. */
export const settingsPages: readonly { name: string; to: string }[] = [
  { name: 'Profile', to: '/settings/profile' },
  { name: 'API token', to: '/settings/api-token' },
  { name: 'Team', to: '/settings/team' },
  { name: 'Members', to: '/settings/members' },
  { name: 'Webhook signing', to: '/settings/signing' },
  { name: 'Notifications', to: '/settings/notifications' },
  { name: 'Billing', to: '/settings/billing' },
  { name: 'Activity', to: '/settings/activity' },
];
