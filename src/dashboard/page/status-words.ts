/** Words for an error by its status alone. No imports: the service has none of the dashboard's packages. */

export type FaultWords = {
  title: string;
  text: string;
  link?: { to: string; text: string };
  team?: { id: string; name: string };
};

export function explainStatus(status: number): FaultWords {
  return byStatus[status] ?? (status < 500 ? misunderstood : fault);
}

const misunderstood: FaultWords = {
  title: 'Belfry did not understand the request',
  text: 'The address or the form is not one of ours. Go back and try again.',
};
const fault: FaultWords = {
  title: 'Something failed in Belfry',
  text: 'The page could not be made. Try again in a moment.',
};
const byStatus: Readonly<Record<number, FaultWords>> = {
  401: {
    title: 'You are signed out',
    text: 'The session ended before the form arrived, so nothing was changed. Sign in and send it again.',
    link: { to: '/login', text: 'Sign in' },
  },
  404: {
    title: 'There is no such page',
    text: 'It may have been deleted or expired, or it belongs to another of your teams. Then switch to that team first.',
  },
  408: {
    title: 'The form did not arrive in time',
    text: 'The connection was too slow or broke. Nothing was changed. Send the form again.',
  },
  415: {
    title: 'That is not a form',
    text: 'Pages here take forms as browsers send them, URL-encoded. Nothing was changed.',
  },
  503: {
    title: 'The database does not answer',
    text: 'Belfry can’t read or store anything at the moment, and nothing was changed. It continues as soon as the database is back. Try again in a moment.',
  },
};
