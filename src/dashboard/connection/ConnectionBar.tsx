import { useEffect } from 'react';
import { Link, useFetcher, useLocation, useHref, useMatches } from 'react-router';
import { Button, CrossButton } from '../parts/Button.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { noteFormProblem, useConnection, type Connection } from './connection.ts';
import { rememberShown } from './keep-page.ts';

import classes from './ConnectionBar.module.css';

/** Also remembers the page, so that it can stay if a response doesn't arrive. */
export function ConnectionBar() {
  const { connection, formProblem } = useConnection();
  const matches = useMatches();
  const { pathname, search } = useLocation();
  const here = useHref({ pathname, search });
  useEffect(() => {
    const loaderData = Object.fromEntries(matches.map((match) => [match.id, match.loaderData]));
    rememberShown({ href: `${window.location.origin}${here}`, loaderData });
  }, [matches, here]);
  // It concerns the previous page.
  useEffect(() => noteFormProblem(null), [pathname]);
  return (
    <div className={classes.place} role="status" aria-live="assertive">
      {connection.kind === 'live' && formProblem === null ? null : (
        <div className={classes.bar} data-tone="orange">
          <Glyph name="failures" size={14} />
          <div>
            {formProblem ? (
              <p>
                <strong>{formProblem.title}.</strong> {formProblem.text}
              </p>
            ) : null}
            {formProblem?.team ? <SwitchBack team={formProblem.team} /> : null}
            {connection.kind === 'live' ? null : <ConnectionWords connection={connection} />}
          </div>
          {formProblem && connection.kind === 'live' ? (
            <CrossButton label="Close message" onClick={() => noteFormProblem(null)} />
          ) : null}
        </div>
      )}
    </div>
  );
}

function SwitchBack({ team }: { team: { id: string; name: string } }) {
  const { submit } = useFetcher();
  const switchBack = async () => {
    await submit({ teamId: team.id, stay: '1' }, { method: 'post', action: '/teams/switch' });
    noteFormProblem({
      title: `Your current team is ${team.name} again`,
      text: 'You can send your input now.',
    });
  };
  return (
    <div className="row">
      <Button size="small" variant="default" onClick={() => void switchBack()}>
        Switch back to {team.name}
      </Button>
      <Link to={useLocation().pathname} reloadDocument>
        Open this page in the current team
      </Link>
    </div>
  );
}

function ConnectionWords({ connection }: { connection: Exclude<Connection, { kind: 'live' }> }) {
  const { pathname, search } = useLocation();
  if (connection.kind === 'signed-out') {
    const next = encodeURIComponent(pathname + search);
    return (
      <p>
        <strong>You are signed out.</strong> Nothing on this page is lost.{' '}
        <Link to={`/login?next=${next}`} reloadDocument target="_blank" rel="noopener">
          Sign in in another tab
        </Link>{' '}
        and come back.
      </p>
    );
  }
  const at = new Date(connection.since);
  return (
    <p>
      <strong>
        {connection.why === 'away' ? 'Belfry cannot answer since ' : 'No connection since '}
        <time dateTime={at.toISOString()} title={at.toISOString()}>
          {at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
        </time>
      </strong>
      , trying again.
    </p>
  );
}

const marks = {
  live: { word: 'Live', glyph: 'success', tone: 'teal' },
  paused: { word: 'Paused', glyph: 'paused', tone: undefined },
  lost: { word: 'No connection', glyph: 'failures', tone: 'orange' },
} as const;

export function LiveMark() {
  const { connection, refreshing, pausedFor } = useConnection();
  if (refreshing === 'off') return null;
  const state = connection.kind === 'live' ? refreshing : 'lost';
  const { word, glyph, tone } = marks[state];
  return (
    <span
      className={classes.mark}
      data-tone={tone}
      title={state === 'lost' ? undefined : (pausedFor ?? 'This page renews itself.')}
    >
      <Glyph name={glyph} size={10} />
      {word}
      {state === 'paused' ? <span className={classes.why}>: {pausedFor}</span> : null}
    </span>
  );
}
