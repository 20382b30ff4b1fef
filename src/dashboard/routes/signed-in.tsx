import { Outlet, useHref } from 'react-router';
import { AppShell } from '../page/AppShell.tsx';
import { FaultPage } from '../page/FaultPage.tsx';
import { TeamPauseNotice } from '../page/PauseUntil.tsx';
import { useShell } from '../page/shell.ts';
import { readToast, slashKey, theme } from '../serving/cookies.ts';
import { nullIfBusy } from '../serving/numbered-faults.ts';
import { open } from '../serving/open.ts';
import type { Route } from './+types/signed-in.ts';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { user, team, session, people, work } = open(context);
  const [attention, usage, confirmation, pause] = await Promise.all([
    // The page is shown without counts if they can't be read.
    work.readAttention(team.id).catch(nullIfBusy),
    people.billing.readUsage(team.id),
    people.accounts.describeConfirmation(session, request.headers),
    work.readTeamPause(team.id),
  ]);
  return {
    user,
    team,
    teams: session.teams,
    attention,
    usage,
    confirmation,
    pause,
    theme: theme.read(request),
    toast: readToast(request),
    hasSlashKey: slashKey.read(request) === 'on',
  };
}

export default function SignedInLayout({ loaderData }: Route.ComponentProps) {
  const { failingCrons = 0, failingQueues = 0 } = loaderData.attention ?? {};
  const isFailing = failingCrons + failingQueues > 0;
  return (
    <AppShell {...loaderData}>
      <link
        rel="icon"
        type="image/svg+xml"
        href={useHref(isFailing ? '/bell-failing.svg' : '/bell.svg')}
      />
      <TeamPauseNotice pause={loaderData.pause} />
      <Outlet />
    </AppShell>
  );
}

/** Keeps the navigation if the shell could be read. */
export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  const facts = useShell();
  const page = <FaultPage error={error} isInShell={facts !== undefined} />;
  return facts ? <AppShell {...facts}>{page}</AppShell> : page;
}
