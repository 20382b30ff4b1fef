import { data } from 'react-router';
import { countOf } from '#domain/base/amounts';
import { isTeamFull } from '#domain/team/team-bounds';
import {
  type Context,
  redirectWithCookies,
  requestContextOf,
  requestFacts,
  requirePermission,
  sentForm,
  services,
  session,
  signedIn,
} from '../context.ts';
import { readText, type FormAnswer, valuesOf } from '../forms/values.ts';
import type { FieldErrors, Permission, Refused, SignedIn, TooMany } from '../services.ts';
import { redirectWithToast, type Toast } from './cookies.ts';

export function openPublic(context: Context) {
  const facts = context.get(requestFacts);
  const { people, work, notifier } = context.get(services);
  const field = (name: string) => readText(context.get(sentForm), name);
  return {
    ...facts,
    ...people,
    people,
    work,
    notifier,
    session: context.get(session),
    requestContext: requestContextOf(context),
    get form() {
      return context.get(sentForm);
    },
    get intent() {
      return field('intent');
    },
    field,
    fields: <Name extends string>(...names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, field(name)])) as Record<Name, string>,
    say: (to: string, said: Toast | string, setCookies?: readonly string[]) =>
      redirectWithToast(context, to, said, setCookies),
    show: (more: object) => data(typed(context, more)),
    refuse: (errors: FieldErrors, more?: object) =>
      data(typed(context, { errors, ...more }), { status: 422 }),
    fail: (problem: string, status = 422) => data(typed(context, { problem }), { status }),
    reject: (outcome: Refused | TooMany, more?: object) => rejected(context, outcome, more),
    enter: (outcome: SignedIn | Refused | TooMany, to = '/') =>
      outcome.kind === 'signed-in'
        ? redirectWithCookies(to, outcome.setCookies)
        : rejected(context, outcome),
  };
}

function rejected(context: Context, outcome: Refused | TooMany, more?: object) {
  if (outcome.kind === 'refused')
    return data(typed(context, { errors: outcome.errors, ...more }), { status: 422 });
  const { problem, status } = refuseTooMany(outcome, context);
  return data(typed(context, { problem, ...more }), { status });
}

function typed(context: Context, more: FormAnswer & object): FormAnswer {
  const form = context.get(sentForm);
  return { intent: readText(form, 'intent'), values: valuesOf(form), ...more };
}

/** Missing things and those of other teams must look the same. */
export function notFound(): never {
  throw data(null, { status: 404 });
}

/** 429, or 503 if the service is overloaded. */
export function refuseTooMany({ retryAfterSeconds, isBusy }: TooMany, context: Context) {
  context.get(requestFacts).answerHeaders.set('Retry-After', String(retryAfterSeconds));
  const wait =
    retryAfterSeconds < 90
      ? countOf(Math.max(1, Math.ceil(retryAfterSeconds)), 'second')
      : countOf(Math.ceil(retryAfterSeconds / 60), 'minute');
  return isBusy
    ? {
        problem: `Belfry is busy. Wait ${wait} and send this again.`,
        status: 503,
      }
    : { problem: `There were too many attempts. Wait ${wait} and try again.`, status: 429 };
}

export function open(context: Context, permission?: Permission) {
  const me = permission ? requirePermission(context, permission) : context.get(signedIn);
  return Object.assign(openPublic(context), me);
}

/** A form without a known button is rejected. */
export function actOn<Result, Given extends unknown[]>(
  intent: string,
  acts: Readonly<Record<string, (...given: Given) => Result>>,
  ...given: Given
): Result {
  const act = Object.hasOwn(acts, intent) ? acts[intent] : undefined;
  if (!act) throw data(null, { status: 400 });
  return act(...given);
}

export async function orTeamFull<Made extends object>(
  making: Promise<Made>,
): Promise<{ made: Made; errors?: never } | { made?: never; errors: FieldErrors }> {
  try {
    return { made: await making };
  } catch (error) {
    if (isTeamFull(error)) return { errors: Object.fromEntries([error.fieldError]) };
    throw error;
  }
}

const mostTeams = 50;

/** Throws the 404 page; if another team of the person has the id, it offers to switch. */
export async function notHere(
  context: Context,
  find: (teamId: string) => Promise<unknown>,
): Promise<never> {
  const { session, team } = context.get(signedIn);
  for (const { id, name } of session.teams.slice(0, mostTeams)) {
    if (id === team.id || !(await find(id))) continue;
    throw data({ elsewhere: { id, name } }, { status: 404 });
  }
  return notFound();
}
