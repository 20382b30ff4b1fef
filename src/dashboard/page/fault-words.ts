/** The error and the next step, never the cause. */
import { isRouteErrorResponse } from 'react-router';
import type { TooMuch } from '../serving/take-form.ts';
import type { OtherTeam } from '../serving/form-team.ts';
import { explainStatus, type FaultWords } from './status-words.ts';

export type FaultData = Partial<
  TooMuch & {
    /** Of a fault of ours, under which its cause is logged. */
    requestId: string;
    /** The team of the user that has the thing (`notHere`). */
    elsewhere: { id: string; name: string };
    otherTeam: OtherTeam;
    isOfOtherPerson: boolean;
    /** The database works, but is overloaded. */
    isBusy: boolean;
    /** The least role that may see the page, and the team (`requirePermission`). */
    needed: string;
    team: string;
    limit: string;
  }
>;

export function explainFault(error: unknown): FaultWords {
  if (!isRouteErrorResponse(error)) return explainStatus(500);
  const { status } = error;
  // A page without scripts of ours (plain-page.ts) is a text instead of data.
  const text = typeof error.data === 'string' ? error.data : '';
  const data = (text === '' ? (error.data ?? {}) : {}) as FaultData;
  if (status === 403) return explainForbidden(data, text);
  if (status === 409) return explainOtherTeam(data);
  if (status === 413) return explainTooMuch(data);
  if (status === 503 && data.isBusy) return busy;
  if (status === 404 && data.elsewhere)
    return {
      title: `This is in your team ${data.elsewhere.name}`,
      text: 'Another team is your current one. Calls with your API token move along when you switch.',
      team: data.elsewhere,
    };
  const words = explainStatus(status);
  if (status !== 500 || !data.requestId) return words;
  return {
    ...words,
    text: `The page could not be made. The cause is in the log of the service under the number ${data.requestId}. Try again in a moment.`,
  };
}

function explainOtherTeam({ otherTeam, isOfOtherPerson }: FaultData): FaultWords {
  if (isOfOtherPerson) {
    return {
      title: 'This form was opened by another user',
      text: 'Another person is signed in now. Nothing was changed. Open its page again.',
    };
  }
  const title = 'This form was opened for another team';
  if (!otherTeam?.opened)
    return { title, text: 'It has no team. Nothing was changed. Open its page again.' };
  const { opened, current } = otherTeam;
  return {
    title,
    text: `It is for ${opened.name}, and your current team is ${current} now. Nothing was changed. Switch back to ${opened.name} and send it again.`,
    team: opened,
  };
}

function explainForbidden({ needed, team }: FaultData, said: string): FaultWords {
  if (!needed || !team) {
    const [, ...lines] = said.split('\n');
    const text = lines.join('\n') || 'This account may not do that. Nothing was changed.';
    return { title: 'Not allowed', text };
  }
  const link = { to: '/settings/team', text: 'See who that is' };
  if (needed === 'member') {
    return {
      title: 'You are a viewer of this team',
      text: `Viewers of ${team} can look at everything and change nothing. Its owner or an admin can give you another role.`,
      link,
    };
  }
  const whom = needed === 'owner' ? 'its owner' : 'its owner or an admin';
  return {
    title: 'This page is not for your role',
    text: `In the team ${team} only ${whom} may see this page. Contact them, or switch to another team.`,
    link,
  };
}

function explainTooMuch({ limit = '2 MiB', field, most }: FaultData): FaultWords {
  const isField = field !== undefined && most !== undefined;
  return {
    title: 'This form is too large',
    text: isField
      ? `The field “${field.slice(0, 80)}” may hold ${most}. Nothing was changed. Shorten it and send the form again.`
      : `This form may hold ${limit}. Nothing was changed. Shorten it and send it again.`,
  };
}

const busy: FaultWords = {
  title: 'Belfry is busy',
  text: 'Too many lists and searches are running, or this one would take too long. Jobs and crons continue. Try again in a few seconds, or narrow the search.',
};
