/** What loaders and actions work with: the services, the facts of the request, who is signed in, and ways to answer. */
import { data } from 'react-router';
import { countOf } from '#domain/amounts';
import {
  type Context,
  requestContextOf,
  requestFacts,
  requirePermission,
  sentForm,
  services,
  session,
  signedIn,
} from '../context.ts';
import { readText } from '../forms/read-form.ts';
import type { Permission, TooMany } from '../services.ts';
import { redirectWithToast, type Toast } from './cookies.ts';

/** For pages that need no sign-in. */
export function openPublic(context: Context) {
  const facts = context.get(requestFacts);
  const { people, work, notifier } = context.get(services);
  return {
    ...facts,
    ...people,
    people,
    work,
    notifier,
    session: context.get(session),
    requestContext: requestContextOf(context),
    /** The form that was sent. */
    get form() {
      return context.get(sentForm);
    },
    /** Which of the form's buttons was pressed. */
    get intent() {
      return readText(context.get(sentForm), 'intent');
    },
    /** Redirects to a page that shows the message. A text alone says what was done. */
    say: (to: string, said: Toast | string, setCookies?: readonly string[]) =>
      redirectWithToast(context, to, said, setCookies),
    /** The answer to a form that has to wait: 429, or 503 if the service is overloaded. */
    tooMany: <Rest extends object = object>(outcome: TooMany, rest = {} as Rest) => {
      facts.answerHeaders.set('Retry-After', String(outcome.retryAfterSeconds));
      const answer = { problem: describeTooMany(outcome), ...rest };
      return data(answer, { status: outcome.isBusy ? 503 : 429 });
    },
  };
}

/** Says when to try again, in words. */
function describeTooMany({ retryAfterSeconds, isBusy }: TooMany): string {
  const wait =
    retryAfterSeconds < 90
      ? countOf(Math.max(1, Math.ceil(retryAfterSeconds)), 'second')
      : countOf(Math.ceil(retryAfterSeconds / 60), 'minute');
  return isBusy
    ? `Belfry has too much to do just now. Wait ${wait} and send this again.`
    : `There were too many attempts. Wait ${wait} and try again.`;
}

/** For pages of somebody who is signed in. @param permission  without it the page is refused (§5.8) */
export function open(context: Context, permission?: Permission) {
  const me = permission ? requirePermission(context, permission) : context.get(signedIn);
  return Object.assign(openPublic(context), me);
}

/** Shows the form again with what is wrong with it. */
export function refuse<Answer>(answer: Answer) {
  return data(answer, { status: 422 });
}

/** Does what the pressed button asks for. A form that names none of these is refused. */
export function actOn<Result>(
  intent: string,
  acts: Readonly<Record<string, () => Result>>,
): Result {
  const act = Object.hasOwn(acts, intent) ? acts[intent] : undefined;
  if (!act) throw data(null, { status: 400 });
  return act();
}
