import { useShell } from '../page/shell.ts';
import { notFound, open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { useState } from 'react';
import { data, Link, useLocation } from 'react-router';
import { alertColumns } from '../alerts/AlertTable.tsx';
import type { FilterFaults } from '#domain/runs/read-filters';
import { nameOfKind } from '#domain/alerts/notification-channel';
import { ActionButton } from '../forms/Form.tsx';
import { levels, offerSources, readAlertSearch, readSourceChoice } from '../alerts/alert-filter.ts';
import { FilterBar, FilterFault, useFilter } from '../lists/FilterBar.tsx';
import { FilterChoice, SourceOptions, wordOptions } from '../lists/FilterFields.tsx';
import { ChannelTrouble } from '../alerts/PresentChannel.tsx';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { countOf } from '../words/amounts.ts';
import { cutPage } from '../lists/cut-page.ts';
import { EmptyState, List } from '../lists/List.tsx';
import { useMayNotify } from '../page/may-change.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import type { ListedChannel, NamedSource } from '../services.ts';
import type { Route } from './+types/alerts.ts';

const PAGE_ROWS = 50;

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, people, work } = open(context);
  const { search, faults } = readAlertSearch(url.searchParams);
  const [found, [newest], sources, channels, windows] = await Promise.all([
    search ? work.listAlerts(team.id, { ...search, limit: PAGE_ROWS + 1 }) : [],
    work.listAlerts(team.id, { limit: 1 }),
    work.listAlertSources(team.id),
    work.listChannels(team.id),
    work.listActiveWindows(team.id),
  ]);
  const { rows: alerts, ...pages } = cutPage(found, search ?? {}, PAGE_ROWS);
  return {
    alerts,
    ...pages,
    faults,
    newestId: newest?.id ?? null,
    sources: offerSources(sources, url.searchParams.get('source')),
    // Addresses are secrets and only shown in the settings.
    channels: channels.map((channel): ListedChannel => Object.assign(channel, { shown: [] })),
    sendsMail: people.accounts.sendsMail(),
    windows,
  };
}

export async function action({ context, url }: Route.ActionArgs) {
  const { team, work, field, intent, say } = open(context);
  const here = `/alerts${url.search}`;
  const id = field('id');
  switch (intent) {
    case 'read':
    case 'unread': {
      const isRead = intent === 'read';
      const marked = await work.markAlerts(team.id, [id], isRead);
      if (marked === 0) return notFound();
      const text = isRead ? 'The alert is marked as read.' : 'The alert is unread again.';
      return say(here, text);
    }
    case 'read-all': {
      const count = await work.markAlertsReadUpTo(team.id, id);
      const text = `${countOf(count, 'alert is', 'alerts are')} marked as read.`;
      return say(here, text);
    }
    default:
      throw data(null, { status: 400 });
  }
}

export default function Alerts({ loaderData }: Route.ComponentProps) {
  const { alerts, next, previous, newestId, sources, channels, windows, faults } = loaderData;
  const seenId = useSeenUpTo(newestId);
  const mayRepair = useMayNotify();
  const way = describeWay(channels, loaderData.sendsMail);
  if (newestId === null && faults === null) {
    return (
      <>
        <PageHeader title="Alerts" every={10} />
        <EmptyState
          title="No alerts"
          example="✕ Failure   “Nightly backup” failed 2 times in a row   HTTP 503"
          action={<ButtonLink to="/crons">Look at crons</ButtonLink>}
        >
          An alert needs your attention: a cron reached its alert threshold of failures in a row, or
          a job failed in a queue with email alerts. {way}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Alerts"
        every={10}
        note={way}
        action={
          seenId === null ? null : (
            <ActionButton intent="read-all" fields={{ id: seenId }}>
              Mark all read
            </ActionButton>
          )
        }
      />
      <div className="stack notices">
        {channels.map((channel) => (
          <ChannelTrouble key={channel.id} channel={channel} by={describeChannel(channel)}>
            {mayRepair ? (
              <Link to="/settings/notifications">Check the channel</Link>
            ) : (
              'An admin of the team can check the channel.'
            )}
          </ChannelTrouble>
        ))}
        <MaintenanceNotice windows={windows} of="the team" />
      </div>
      <Filters sources={sources} faults={faults} />
      <List
        faults={faults}
        caption="Alerts"
        columns={alertColumns}
        rows={alerts}
        empty={
          <EmptyState title="No alert matches">Clear the filters to see all of them.</EmptyState>
        }
        page={{ next, previous }}
        note="Alerts are kept for 90 days."
      />
    </>
  );
}

const deliveries = [
  ['', 'All'],
  ['sent', 'Sent'],
  ['pending', 'Waiting'],
  ['muted', 'Muted'],
  ['failed', 'Not sent'],
] as const;

type FiltersProps = { sources: readonly NamedSource[]; faults: FilterFaults | null };

function Filters({ sources, faults }: FiltersProps) {
  const { value: chosen } = useFilter('source');
  const choice = readSourceChoice(chosen);
  const isGone =
    choice !== null &&
    choice.id !== null &&
    !sources.some(({ kind, id }) => kind === choice.kind && id === choice.id);
  const { value: unread } = useFilter('unread');
  return (
    <FilterBar label="Filter alerts" faults={faults} clearTo="/alerts">
      <FilterChoice
        name="level"
        label="Level"
        options={[['', 'All levels'], ...wordOptions(levels)]}
      />
      <FilterChoice
        name="source"
        label="Source"
        options={[
          ['', 'Crons and queues'],
          ['cron', 'All crons'],
          ['queue', 'All queues'],
          ...(isGone ? [[chosen, `A deleted ${choice.kind}`] as const] : []),
        ]}
      >
        <SourceOptions sources={sources} />
      </FilterChoice>
      <FilterChoice name="delivery" label="Notification" options={deliveries} />
      <label className="row">
        <input type="checkbox" name="unread" value="1" defaultChecked={unread === '1'} />
        Unread only
      </label>
      <FilterFault name="unread" />
    </FilterBar>
  );
}

/** "Mark all read" must not mark alerts that arrived since the page was opened. */
function useSeenUpTo(newestId: string | null): string | null {
  const { key } = useLocation();
  const [seen, setSeen] = useState({ key, id: newestId });
  const unread = useShell()?.attention?.unreadAlerts ?? 0;
  const isStale = seen.key !== key || (seen.id === null && newestId !== null);
  if (isStale) setSeen({ key, id: newestId });
  return unread === 0 ? null : isStale ? newestId : seen.id;
}

function describeWay(channels: readonly ListedChannel[], sendsMail: boolean): string {
  const kind = channels[0]?.kind ?? 'email';
  if (channels.length > 1)
    return `Alerts are also sent to ${nameOfKind(kind)}, or to the channels that you select in the form of a cron or queue.`;
  if (kind !== 'email') return `Alerts are also sent to ${nameOfKind(kind)}.`;
  return sendsMail
    ? 'Alerts are also emailed to every member.'
    : 'No mail server is set up, so alert emails are only written to the service log.';
}

function describeChannel({ name, kind }: ListedChannel): string {
  return name === null ? nameOfKind(kind) : `“${name}”`;
}
