/**
 * What becomes of the page that is shown when an answer fails to come: it stays.
 *
 * Runs in the browser around each request of the router. A failed refresh leaves what was there; a page
 * that can't be fetched is waited for; a form that was not taken stays as it was typed, and a bar says
 * what to do. Only what a page answers for itself (it is gone, it is not for this role) passes.
 */
import { data, isRouteErrorResponse, redirect, type DataStrategyResult } from 'react-router';
import { basePathInBrowser } from '../address.ts';
import { explainFault } from '../page/fault-words.ts';
import { note, noteUntaken, waitForAnswer, type Sign, type Untaken } from './connection.ts';
import { wouldMove } from './would-move.ts';

type Results = Record<string, DataStrategyResult>;

/** What stands on the page now, by route. */
type Shown = { href: string; loaderData: Readonly<Record<string, unknown>> };

let shown: Shown = { href: '', loaderData: {} };
let lastAnswer: unknown;
let background: 'off' | 'asked' | 'held' = 'off';

export function rememberShown(page: Shown): void {
  shown = page;
}

/** Called as a form is sent, with what its page had answered before: that stays if no new answer comes. */
export function rememberAnswer(answer: unknown): void {
  lastAnswer = answer;
}

/**
 * Runs a refresh that nobody asked for. @returns whether it was held back: somebody points at what would
 * have moved
 */
export async function inBackground(refresh: () => Promise<void>): Promise<{ isHeld: boolean }> {
  background = 'asked';
  try {
    await refresh();
    // The refresh itself changes it while it is awaited.
    return { isHeld: (background as string) === 'held' };
  } finally {
    background = 'off';
  }
}

/** True while the pointer is over something that renews itself. */
export function isPointedAt(): boolean {
  return document.querySelector('[data-live]:hover') !== null;
}

/** Pages that others ask for bits of, beside navigation. */
const polledPages = new Set(['/jobs/progress', 'jobs/progress']);

export async function keepPage(
  { request, pattern }: { request: Request; pattern: string },
  next: () => Promise<Results>,
): Promise<Results> {
  const isRead = request.method === 'GET';
  if (isRead && !isShown(request)) await waitForAnswer(request.signal);
  const results = await next();
  if (request.signal.aborted) return results;
  const sign = readSign(results, isRead);
  // Whoever goes to a page that asks who they are is led to the sign-in.
  if (isRead && sign === 'signed-out' && !isShown(request)) return results;
  if (sign !== null) note(sign);
  if (!isRead) return keepForm(request, results);
  if (background === 'asked' && isOfOtherTeam(results))
    return mapValues(results, (_, route) => known(route));
  if (sign === null || sign === 'answered') return holdUnderPointer(results);
  if (isShown(request))
    return areKnown(results) ? mapValues(results, (_, route) => known(route)) : results;
  if (polledPages.has(pattern)) return mapValues(results, () => ({ type: 'data', result: null }));
  // A page that can't be made says so; one that nobody could ask for is asked for again.
  if (isServerFault(findFault(results))) return results;
  throw redirect(request.url);
}

const isShown = ({ url }: Request) => url.split('#')[0] === shown.href.split('#')[0];
const known = (route: string): DataStrategyResult => ({
  type: 'data',
  result: shown.loaderData[route],
});

/** False where an error stands in place of the page: there is nothing to keep. */
const areKnown = (results: Results) =>
  Object.keys(results).every((route) => shown.loaderData[route] !== undefined);

function findFault(results: Results): unknown {
  return Object.values(results).find(({ type, result }) => type === 'error' && !isRedirect(result))
    ?.result;
}

/** What the results of one request say about the connection; null where nothing was asked or it was refused. */
function readSign(results: Results, isRead: boolean): Sign | null {
  const all = Object.values(results);
  const fault = findFault(results);
  if (fault !== undefined) return readFault(fault);
  if (isRead && all.some(({ result }) => isRedirect(result) && leadsToSignIn(result)))
    return 'signed-out';
  return all.length > 0 ? 'answered' : null;
}

function readFault(error: unknown): Sign {
  if (!isRouteErrorResponse(error)) return isServerFault(error) ? 'away' : 'unreachable';
  if (error.status === 401) return 'signed-out';
  return error.status >= 500 ? 'away' : 'answered';
}

/** The router's words for what a loader threw: the cause stays on the server. */
const isServerFault = (error: unknown) =>
  error instanceof Error && error.message === 'Unexpected Server Error';

const isRedirect = (result: unknown): result is Response =>
  result instanceof Response && result.headers.has('Location');
const leadsToSignIn = ({ headers }: Response) =>
  /^\/login(?:\?|$)/.test(withoutBasePath(headers.get('Location') ?? ''));

function withoutBasePath(path: string): string {
  const basePath = basePathInBrowser();
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

function keepForm(request: Request, results: Results): Results {
  const fault = findFault(results);
  if (fault === undefined) {
    noteUntaken(null);
    return results;
  }
  noteUntaken(explainUntaken(fault));
  // A form that another page answers (a switch of the theme) would leave this one.
  if (new URL(request.url).pathname !== new URL(shown.href).pathname) throw redirect(shown.href);
  // An answer of 400 and over keeps the router from asking for the page anew.
  const answer = data(lastAnswer, { status: 503 });
  return mapValues(results, () => ({ type: 'data', result: answer }));
}

function explainUntaken(error: unknown): Untaken {
  if (isRouteErrorResponse(error) || isServerFault(error)) {
    const { title, text, team } = explainFault(error);
    return { title, text: `${text} What you typed is still here.`, ...(team && { team }) };
  }
  return {
    title: 'Nobody knows whether that was done',
    text: 'Belfry did not answer. What you typed is still here. Once the connection is back, look whether it was done; if not, send it again.',
  };
}

/** Another tab has switched: this page goes on showing its team, as its forms do. */
function isOfOtherTeam(results: Results): boolean {
  const shownTeam = teamOf(shown.loaderData['routes/signed-in']);
  const current = teamOf(results['routes/signed-in']?.result);
  if (!shownTeam || !current || current.id === shownTeam.id) return false;
  noteUntaken({
    title: `Your current team is ${current.name} now`,
    text: `It was switched elsewhere. This page still shows ${shownTeam.name}.`,
    team: shownTeam,
  });
  return true;
}

const teamOf = (shell: unknown) =>
  (shell as { team: { id: string; name: string } } | undefined)?.team;

/** Under the pointer nothing moves: then the page stays as it is until the pointer has left. */
function holdUnderPointer(results: Results): Results {
  if (background !== 'asked' || !isPointedAt()) return results;
  const moves = Object.entries(results).some(([route, { result }]) =>
    wouldMove(shown.loaderData[route], result),
  );
  if (!moves) return results;
  background = 'held';
  return mapValues(results, (_, route) => known(route));
}

function mapValues(
  results: Results,
  change: (result: DataStrategyResult, route: string) => DataStrategyResult,
): Results {
  return Object.fromEntries(
    Object.entries(results).map(([route, result]) => [route, change(result, route)]),
  );
}
