import { open } from '../serving/open.ts';
import { Outlet, useLocation } from 'react-router';
import { mayOpenPlace, settingsPages } from '../palette/places.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { TabLinks } from '../page/TabLinks.tsx';
import type { Route } from './+types/settings.ts';

/** Shows the tabs that the role allows (§5.8). */
export function loader({ context }: Route.LoaderArgs) {
  const { team } = open(context);
  const pages = settingsPages.filter((page) => mayOpenPlace(team.role, page));
  return { teamName: team.name, pages };
}

export default function Settings({ loaderData }: Route.ComponentProps) {
  const { pathname } = useLocation();
  const isHere = (path: string) => path === pathname || pathname.startsWith(`${path}/`);
  const current = loaderData.pages.find(({ to }) => isHere(to));
  return (
    <>
      <PageHeader
        title={current?.name ?? 'Settings'}
        note={`Settings of ${loaderData.teamName} and of your account`}
      />
      <TabLinks
        label="Settings"
        tabs={loaderData.pages.map(({ name, to }) => ({ name, to, isCurrent: isHere(to) }))}
      />
      <Outlet />
    </>
  );
}
