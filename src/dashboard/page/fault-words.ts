/** The error of a page or a form and the next step, in words; never the cause itself. */
import { isRouteErrorResponse } from 'react-router';
import type { TooMuch } from '../serving/form-limits.ts';
import type { OtherTeam } from '../serving/form-team.ts';

/** The data of a fault of ours: a response with status 500 that replaces the page. */
export type NumberedFault = { requestId: string };

type FaultWords = {
  title: string;
  text: string;
  link?: { to: string; text: string };
  /** One of the user's teams to switch to, if that helps. */
  team?: { id: string; name: string };
};

export function explainFault(error: unknown): FaultWords {
  if (!isRouteErrorResponse(error)) return fault;
  if (error.status === 500) return explainNumbered(error.data);
  if (error.status === 404) return explainMissing(error.data);
  if (error.status === 409) return explainOtherTeam(error.data);
  if (error.status === 403) return explainForbidden(error.data);
  if (error.status === 401) return signedOut;
  if (error.status === 413) return explainTooMuch(error.data);
  if (error.status === 408) return tooSlow;
  if (error.status === 415) return notAForm;
  if (error.status === 503) return isBusy(error.data) ? busy : away;
  return error.status < 500 ? misunderstood : fault;
}

/** See `notHere`. */
function explainMissing(data: unknown): FaultWords {
  const { elsewhere } = (data ?? {}) as { elsewhere?: { id: string; name: string } };
  if (!elsewhere) return missing;
  return {
    title: `This is in your team ${elsewhere.name}`,
    text: 'Another team is your current one. Calls with your API token move along when you switch.',
    team: elsewhere,
  };
}

/** See `requireOwnTeam` and `requireSamePerson`. */
function explainOtherTeam(data: unknown): FaultWords {
  const { otherTeam, isOfOtherPerson } = fieldsOf<{
    otherTeam: OtherTeam;
    isOfOtherPerson: boolean;
  }>(data);
  if (isOfOtherPerson) {
    return {
      title: 'This form was opened by another user',
      text: 'Another person is signed in now. Nothing was changed. Open its page again.',
    };
  }
  const title = 'This form was opened for another team';
  if (!otherTeam?.opened) {
    const text = 'It has no team. Nothing was changed. Open its page again.';
    return { title, text };
  }
  const { opened, current } = otherTeam;
  return {
    title,
    text: `It is for ${opened.name}, and your current team is ${current} now. Nothing was changed. Switch back to ${opened.name} and send it again.`,
    team: opened,
  };
}

/** Whether the data is `BUSY` of numbered-faults.ts, which has been sent to the browser as JSON. */
function isBusy(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'isBusy' in data;
}

function fieldsOf<Fields>(data: unknown): Partial<Fields> {
  return typeof data === 'object' && data !== null ? data : {};
}

function explainForbidden(data: unknown): FaultWords {
  const { needed, team } = fieldsOf<{ needed: string; team: string }>(data);
  if (!needed || !team) {
    const text =
      typeof data === 'string' && data.includes('\n')
        ? data.slice(data.indexOf('\n') + 1)
        : 'This account may not do that. Nothing was changed.';
    return { title: 'Not allowed', text };
  }
  if (needed === 'member') return explainViewOnly(team);
  const whom = needed === 'owner' ? 'its owner' : 'its owner or an admin';
  return {
    title: 'This page is not for your role',
    text: `In the team ${team} only ${whom} may see this page. Contact them, or switch to another team.`,
    link: { to: '/settings/team', text: 'See who that is' },
  };
}

/** For a viewer who opened a form that changes the team's work. */
function explainViewOnly(team: string): FaultWords {
  return {
    title: 'You are a viewer of this team',
    text: `Viewers of ${team} can look at everything and change nothing. Its owner or an admin can give you another role.`,
    link: { to: '/settings/team', text: 'See who that is' },
  };
}

function explainTooMuch(data: unknown): FaultWords {
  const { limit = '2 MiB', field, most } = fieldsOf<{ limit: string } & TooMuch>(data);
  const title = 'That is more than a form may hold';
  if (field !== undefined && most !== undefined) {
    const text = `The field “${field.slice(0, 80)}” may hold ${most}. Nothing was changed. Shorten it and send the form again.`;
    return { title, text };
  }
  return {
    title,
    text: `This form may hold ${limit}. Nothing was changed. Shorten it and send it again.`,
  };
}

const tooSlow: FaultWords = {
  title: 'The form did not arrive in time',
  text: 'The connection was too slow or broke. Nothing was changed. Send the form again.',
};
const notAForm: FaultWords = {
  title: 'That is not a form',
  text: 'Pages here take forms as browsers send them, URL-encoded. Nothing was changed.',
};
const missing: FaultWords = {
  title: 'There is no such page',
  text: 'It may have been deleted, its time of keeping may be over, or it belongs to another of your teams: then switch to that team first.',
};
const signedOut: FaultWords = {
  title: 'You are signed out',
  text: 'The session ended before the form arrived, so nothing was changed. Sign in and send it again.',
  link: { to: '/login', text: 'Sign in' },
};
const misunderstood: FaultWords = {
  title: 'Belfry did not understand the request',
  text: 'The address or the form is not one of ours. Go back and try again.',
};
const busy: FaultWords = {
  title: 'Belfry is busy',
  text: 'Too many lists and searches are running, or this one would take too long. Jobs and crons continue. Try again in a few seconds, or narrow the search.',
};
const away: FaultWords = {
  title: 'The database does not answer',
  text: 'Belfry can’t read or store anything at the moment, and nothing was changed. It continues as soon as the database is back. Try again in a moment.',
};
const fault: FaultWords = {
  title: 'Something failed in Belfry',
  text: 'The page could not be made. Try again in a moment.',
};

function explainNumbered(data: unknown): FaultWords {
  const { requestId } = fieldsOf<NumberedFault>(data);
  if (!requestId) return fault;
  const text = `The page could not be made. The cause is in the log of the service under the number ${requestId}. Try again in a moment.`;
  return { ...fault, text };
}
