import { Outlet, useLocation } from 'react-router';
import { roleAllows, signedIn } from '../context.ts';
import { PageHeader } from '../parts/PageHeader.tsx';
import { TabLinks } from '../parts/TabLinks.tsx';
import type { Role } from '../services.ts';
import type { Route } from './+types/settings.ts';

const pages: readonly { name: string; path: string; role: Role }[] = [
  { name: 'Profile', path: '/settings/profile', role: 'member' },
  { name: 'API token', path: '/settings/api-token', role: 'member' },
  { name: 'Team', path: '/settings/team', role: 'member' },
  { name: 'Members', path: '/settings/members', role: 'admin' },
  { name: 'Webhook signing', path: '/settings/signing', role: 'admin' },
  { name: 'Notifications', path: '/settings/notifications', role: 'admin' },
  { name: 'Billing', path: '/settings/billing', role: 'owner' },
];

/** Only the pages that the viewer's role may use are offered (§5.8). */
export function loader({ context }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const offered = pages.filter(({ role }) => roleAllows(team.role, role));
  return { teamName: team.name, pages: offered.map(({ name, path }) => ({ name, path })) };
}

export default function Settings({ loaderData }: Route.ComponentProps) {
  const { pathname } = useLocation();
  const current = loaderData.pages.find(({ path }) => path === pathname);
  return (
    <>
      <PageHeader
        title={current?.name ?? 'Settings'}
        note={`Settings of ${loaderData.teamName} and of your account`}
      />
      <TabLinks
        label="Settings"
        tabs={loaderData.pages.map(({ name, path }) => ({
          name,
          to: path,
          isCurrent: path === pathname,
        }))}
      />
      <Outlet />
    </>
  );
}
