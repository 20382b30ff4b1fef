import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useHref, useLocation, useNavigation } from 'react-router';
import { FAILURE_TEXTS } from '#domain/judging/failure';
import { may } from '#people/roles';
import { Form } from '../forms/Form.tsx';
import { LeaveGuard } from '../forms/LeaveGuard.tsx';
import { useRowFocus } from '../lists/row-focus.ts';
import { Shortcuts } from '../palette/Palette.tsx';
import { places } from '../palette/places.ts';
import { Glyph } from '../parts/Glyph.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Menu } from '../parts/Popover.tsx';
import { useMoment, useShownZone } from '../parts/Time.tsx';
import { UsageBar } from '../plots/UsageBar.tsx';
import type { Attention } from '../services.ts';
import type { Shell } from './shell.ts';
import { Toasts } from './Toasts.tsx';

import classes from './AppShell.module.css';

export function AppShell({ children, ...shell }: Shell & { children: ReactNode }) {
  const navigation = useNavigation();
  const { pathname } = useLocation();
  useRowFocus();
  return (
    <div className={classes.shell}>
      <a className={`${classes.skip} sr-only`} href="#page">
        Skip to content
      </a>
      {navigation.state === 'idle' ? null : (
        <div className={classes.progress} role="progressbar" aria-label="Loading" />
      )}
      <aside className={classes.side}>
        <Brand />
        <Navigation attention={shell.attention} />
      </aside>
      <TopBar {...shell} />
      <main id="page" key={pathname.split('/')[1]} className={classes.page} tabIndex={-1}>
        <UsageBanner {...shell} />
        {children}
      </main>
      <Toasts toast={shell.toast} />
      <Shortcuts hasSlashKey={shell.hasSlashKey} />
      <LeaveGuard />
      <Arrival />
    </div>
  );
}

export function Brand() {
  return (
    <Link to="/" className={classes.brand}>
      <Glyph name="bell" size={18} />
      Belfry
    </Link>
  );
}

const settings = { name: 'Settings', to: '/settings/profile', glyph: 'settings' } as const;

const counted: Readonly<Record<string, readonly [keyof Attention, string]>> = {
  '/crons': ['failingCrons', 'failing'],
  '/queues': ['failingQueues', 'failing'],
  '/failures': ['failedJobs', 'failed jobs'],
  '/alerts': ['unreadAlerts', 'unread'],
};

function Navigation({ attention }: { attention: Attention | null }) {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Main" className={classes.nav}>
      {[...places, settings].map((place) => {
        const { name, to, glyph } = place;
        const root = place === settings ? '/settings' : to;
        const isHere = pathname === root || (root !== '/' && pathname.startsWith(`${root}/`));
        const [key, word] = counted[to] ?? [];
        const count = key ? (attention?.[key] ?? 0) : 0;
        return (
          <Fragment key={to}>
            {place === settings ? <span className={classes.gap} /> : null}
            <Link to={to} aria-current={isHere ? 'page' : undefined}>
              <Glyph name={glyph} />
              <span>{name}</span>
              {count > 0 ? (
                <span className={classes.count} data-quiet={to === '/alerts' || undefined}>
                  {count > 9999 ? '9,999+' : count.toLocaleString('en')}
                  <span className="sr-only"> {word}</span>
                </span>
              ) : null}
            </Link>
          </Fragment>
        );
      })}
    </nav>
  );
}

function TopBar({ user, team, teams, attention, usage, theme }: Shell) {
  const { used: runs, limit } = usage;
  const used = <UsageBar used={runs} limit={limit} label="Runs of this month" />;
  return (
    <header className={classes.top}>
      <div className={classes.phoneOnly}>
        <Menu label="Navigation" button={<Glyph name="menu" size={18} />}>
          <Navigation attention={attention} />
        </Menu>
      </div>
      <Menu
        label={`Team ${team.name}, switch`}
        button={
          <>
            <strong className={`${classes.team} cut`}>{team.name}</strong>
            <Glyph name="down" size={12} />
          </>
        }
      >
        <Choices
          action="/teams/switch"
          name="teamId"
          options={teams.map(({ id, name, role }) => [id, name, role])}
          chosen={team.id}
        />
        <hr />
        <p className="quiet">API calls with your token always go to the team selected here.</p>
        <Link to="/teams/new">
          <Glyph name="plus" />
          Create team
        </Link>
      </Menu>
      {may(team.role, 'work') ? null : (
        <Link to="/settings/team" className="chip muted" title="You are a viewer of this team">
          View only
        </Link>
      )}
      <form action={useHref('/jobs')} method="get" role="search" className={classes.search}>
        <Glyph name="search" size={14} />
        <input type="hidden" name="tab" value="all" />
        <input
          type="search"
          name="q"
          className="control"
          data-search
          aria-label="Search jobs"
          placeholder="Search jobs: id, URL, text, status"
          autoComplete="off"
        />
        <kbd className="needs-script">Ctrl K</kbd>
      </form>
      <span className={classes.usage} title="Runs of this month (UTC)">
        {team.role === 'owner' ? <Link to="/settings/billing">{used}</Link> : used}
      </span>
      <Menu
        label="Theme"
        button={<Glyph name={theme === 'dark' ? 'maintenance' : 'sun'} />}
        isAtEnd
      >
        <LookChoice name="theme" options={themes} chosen={theme} />
      </Menu>
      <Menu label={`Account of ${user.name}`} button={<Glyph name="person" size={18} />} isAtEnd>
        <p className="quiet">
          {user.name}
          <br />
          {user.email}
        </p>
        <hr />
        <Link to="/settings/profile">Profile</Link>
        <Link to="/settings/api-token">API token</Link>
        <hr />
        <TimesSwitch />
        <Form action="/logout">
          <button type="submit">Sign out</button>
        </Form>
      </Menu>
    </header>
  );
}

type Option = readonly [value: string, text: string, hint?: string];

const themes: readonly Option[] = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Hidden if the viewer's zone is UTC or unknown. */
function TimesSwitch() {
  const { timeZone } = useMoment();
  const { word } = useShownZone();
  if (timeZone === null || timeZone === 'UTC') return null;
  const options: readonly Option[] = [
    ['utc', 'Times in UTC'],
    ['local', `Times in ${timeZone}`],
  ];
  return (
    <>
      <LookChoice name="times" options={options} chosen={word === 'UTC' ? 'utc' : 'local'} />
      <hr />
    </>
  );
}

type ChoicesProps = {
  action: string;
  name: string;
  options: readonly Option[];
  chosen: string;
  fields?: Readonly<Record<string, string>>;
};

function Choices({ action, name, options, chosen, fields = {} }: ChoicesProps) {
  return (
    <Form action={action} fields={fields}>
      {options.map(([value, text, hint]) => (
        <button key={value} type="submit" name={name} value={value} aria-current={value === chosen}>
          <span className={classes.tick}>
            {value === chosen ? <Glyph name="check" size={14} /> : null}
          </span>
          <span className="cut">{text}</span>
          {hint ? <span className="muted">{hint}</span> : null}
        </button>
      ))}
    </Form>
  );
}

function LookChoice(props: Omit<ChoicesProps, 'action' | 'fields'>) {
  const { pathname, search } = useLocation();
  return <Choices {...props} action="/theme" fields={{ next: pathname + search }} />;
}

function UsageBanner({ usage, team }: Shell) {
  if (usage.limit === null || usage.used < usage.limit * 0.8) return null;
  const numbers = `${usage.used.toLocaleString('en')} of ${usage.limit.toLocaleString('en')} runs of this month`;
  const whom =
    team.role === 'owner' ? (
      <Link to="/settings/billing">See the plan</Link>
    ) : (
      'The owner of the team sees the plan under Billing.'
    );
  const isOver = usage.used >= usage.limit;
  return (
    <Notice
      kind={isOver ? 'failed' : 'warning'}
      title={isOver ? FAILURE_TEXTS.limitReached : 'The monthly limit is near'}
      isBanner
    >
      {team.name} has used {numbers}.{' '}
      {isOver
        ? 'Crons and jobs fail without being sent until next month, or until the plan is changed.'
        : null}{' '}
      {whom}
    </Notice>
  );
}

/** Screen readers read a new page's title, and it gets the focus if the focused element is gone. */
export function Arrival() {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  const [title, setTitle] = useState('');
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    const page = document.getElementById('page');
    setTitle(page?.querySelector('h1')?.textContent ?? '');
    if (document.activeElement === document.body) page?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <p className="sr-only" role="status">
      {title}
    </p>
  );
}
