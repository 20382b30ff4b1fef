import { isRouteErrorResponse, Link } from 'react-router';
import { TabTitle } from './PageHeader.tsx';
import classes from './FaultPage.module.css';

type Words = { title: string; text: string; link?: { to: string; text: string } };

/**
 * What people see instead of a page. It says what happened and what to do, and shows the number under
 * which the cause is in the log; never the cause itself.
 */
export function FaultPage({
  error,
  requestId,
  isInFrame = false,
}: {
  error: unknown;
  requestId: string | null;
  isInFrame?: boolean;
}) {
  const words = explain(error);
  const Place = isInFrame ? 'div' : 'main';
  const link = words.link ?? { to: '/', text: 'Go to the overview' };
  return (
    <Place className={classes.fault} data-inside={isInFrame || undefined}>
      <TabTitle title={words.title} />
      <h1>{words.title}</h1>
      <p>{words.text}</p>
      <p>
        <Link to={link.to} reloadDocument>
          {link.text}
        </Link>
      </p>
      {requestId ? <p className={classes.id}>Request {requestId}</p> : null}
    </Place>
  );
}

function explain(error: unknown): Words {
  if (!isRouteErrorResponse(error)) return fault;
  if (error.status === 404) return missing;
  if (error.status === 403) return explainForbidden(error.data);
  if (error.status === 401) return signedOut;
  if (error.status === 413) {
    return {
      title: 'That is more than a form may hold',
      text: 'A form may carry 2 MiB. Shorten it and send it again.',
    };
  }
  if (error.status === 503) return away;
  return error.status < 500 ? misunderstood : fault;
}

function explainForbidden(data: unknown): Words {
  const { needed, team } = (typeof data === 'object' && data !== null ? data : {}) as {
    needed?: string;
    team?: string;
  };
  if (!needed || !team) {
    const text =
      typeof data === 'string' && data.includes('\n')
        ? data.slice(data.indexOf('\n') + 1)
        : 'This account may not do that.';
    return { title: 'Not allowed', text };
  }
  const whom = needed === 'owner' ? 'its owner' : 'its owner or an admin';
  return {
    title: 'This page is not for your role',
    text: `In the team ${team} only ${whom} may see this page. Ask there, or switch to another team.`,
    link: { to: '/settings/team', text: 'See who that is' },
  };
}

const missing: Words = {
  title: 'There is no such page',
  text: 'It may have been deleted, its time of keeping may be over, or it belongs to another of your teams: then switch to that team first.',
};
const signedOut: Words = {
  title: 'You are signed out',
  text: 'The session ended before the form arrived, so nothing was changed. Sign in and send it again.',
  link: { to: '/login', text: 'Sign in' },
};
const misunderstood: Words = {
  title: 'Belfry did not understand the request',
  text: 'The address or the form is not one of ours. Go back and try again.',
};
const away: Words = {
  title: 'The database does not answer',
  text: 'Belfry cannot read or keep anything just now, and nothing was changed. It goes on by itself once the database is back. Try again in a moment.',
};
const fault: Words = {
  title: 'Something failed in Belfry',
  text: 'The page could not be made. The cause is in the log of the service under the number below. Try again in a moment.',
};
