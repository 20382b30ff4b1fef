import { Outlet, useLocation } from 'react-router';
import { may, type Permission } from '#people/roles';
import { signedIn } from '../context.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { TabLinks } from '../page/TabLinks.tsx';
import type { Route } from './+types/settings.ts';

/** The settings' pages, and the permission that some of them need. */
const pages: readonly { name: string; path: string; needs?: Permission }[] = [
  { name: 'Profile', path: '/settings/profile' },
  { name: 'API token', path: '/settings/api-token' },
  { name: 'Team', path: '/settings/team' },
  { name: 'Members', path: '/settings/members', needs: 'manage-members' },
  { name: 'Webhook signing', path: '/settings/signing', needs: 'signing-secret' },
  { name: 'Notifications', path: '/settings/notifications', needs: 'notifications' },
  { name: 'Billing', path: '/settings/billing', needs: 'billing' },
  { name: 'Activity', path: '/settings/activity' },
];

/** Only the pages that the viewer's role may use are offered (§5.8). */
export function loader({ context }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const offered = pages.filter(({ needs }) => needs === undefined || may(team.role, needs));
  return { teamName: team.name, pages: offered.map(({ name, path }) => ({ name, path })) };
}

export default function Settings({ loaderData }: Route.ComponentProps) {
  const { pathname } = useLocation();
  const isHere = (path: string) => path === pathname || pathname.startsWith(`${path}/`);
  const current = loaderData.pages.find(({ path }) => isHere(path));
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
          isCurrent: isHere(path),
        }))}
      />
      <Outlet />
    </>
  );
}
