import { index, layout, route, type RouteConfig } from '@react-router/dev/routes';

/** Only for working on the look of the parts; never in what people install. */
const gallery = process.env['DASHBOARD_GALLERY'] ? [route('gallery', 'gallery/gallery.tsx')] : [];

export default [
  layout('routes/door.tsx', [
    route('setup', 'routes/setup.tsx'),
    route('login', 'routes/login.tsx'),
    route('login/code', 'routes/login.code.tsx'),
    route('register', 'routes/register.tsx'),
    route('forgot-password', 'routes/forgot-password.tsx'),
    route('reset-password/:token', 'routes/reset-password.$token.tsx'),
    route('confirm-email/:token', 'routes/confirm-email.$token.tsx'),
    route('invitations/:token', 'routes/invitations.$token.tsx'),
    route('teams/new', 'routes/teams.new.tsx'),
  ]),
  layout('routes/frame.tsx', [
    index('routes/overview.tsx'),
    route('crons', 'routes/crons.tsx'),
    route('crons/new', 'routes/crons.new.tsx'),
    route('crons/:id', 'routes/crons.$id.tsx'),
    route('crons/:id/edit', 'routes/crons.$id.edit.tsx'),
    route('executions/:id', 'routes/executions.$id.tsx'),
    route('queues', 'routes/queues.tsx'),
    route('queues/new', 'routes/queues.new.tsx'),
    route('queues/:id', 'routes/queues.$id.tsx'),
    route('queues/:id/edit', 'routes/queues.$id.edit.tsx'),
    route('jobs', 'routes/jobs.tsx'),
    route('jobs/new', 'routes/jobs.new.tsx'),
    route('jobs/progress', 'routes/jobs.progress.tsx'),
    route('jobs/:id', 'routes/jobs.$id.tsx'),
    route('failures', 'routes/failures.tsx'),
    route('alerts', 'routes/alerts.tsx'),
    route('maintenance', 'routes/maintenance.tsx'),
    route('maintenance/new', 'routes/maintenance.new.tsx'),
    route('maintenance/:id/edit', 'routes/maintenance.$id.edit.tsx'),
    route('settings', 'routes/settings.tsx', [
      index('routes/settings._index.ts'),
      route('profile', 'routes/settings.profile.tsx'),
      route('api-token', 'routes/settings.api-token.tsx'),
      route('team', 'routes/settings.team.tsx'),
      route('members', 'routes/settings.members.tsx'),
      route('signing', 'routes/settings.signing.tsx'),
      route('notifications', 'routes/settings.notifications.tsx'),
      route('billing', 'routes/settings.billing.tsx'),
    ]),
    ...gallery,
    route('*', 'routes/not-found.tsx'),
  ]),
  route('theme', 'routes/theme.ts'),
  route('logout', 'routes/logout.ts'),
  route('teams/switch', 'routes/teams.switch.ts'),
] satisfies RouteConfig;
