/**
 * After a failed refresh the page is unchanged; a page that can't be fetched is requested
 * again; a form keeps its input. Only a page's own errors are passed on.
 */
import { data, isRouteErrorResponse, redirect, type DataStrategyResult } from 'react-router';
import { basePathInBrowser } from '../address.ts';
import { explainFault } from '../page/fault-words.ts';
import { note, noteFormProblem, waitForAnswer, type Sign, type FormProblem } from './connection.ts';

type Results = Record<string, DataStrategyResult>;

type Shown = { href: string; loaderData: Readonly<Record<string, unknown>> };

let shown: Shown = { href: '', loaderData: {} };
let lastAnswer: unknown;
let isBackground = false;
let isToastExpected = false;

export function rememberShown(page: Shown): void {
  shown = page;
}

/** Shown again if no new response arrives. */
export function rememberAnswer(answer: unknown): void {
  lastAnswer = answer;
}

/** The next page shows the message once; other tabs, which get it with their refreshes, must not. */
export function takeExpectedToast(): boolean {
  const was = isToastExpected;
  isToastExpected = false;
  return was;
}

/** Never switches the page to another team. */
export async function inBackground(refresh: () => Promise<void>): Promise<void> {
  isBackground = true;
  try {
    await refresh();
  } finally {
    isBackground = false;
  }
}

/** Other pages poll their data. */
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
  // People who are signed out go to the sign-in.
  if (isRead && sign === 'signed-out' && !isShown(request)) return results;
  if (sign !== null) note(sign);
  if (!isRead) return keepForm(request, results);
  if (isBackground && isOfOtherTeam(results)) return mapValues(results, (_, route) => known(route));
  if (sign === null || sign === 'answered') return results;
  if (isShown(request))
    return areKnown(results) ? mapValues(results, (_, route) => known(route)) : results;
  if (polledPages.has(pattern)) return mapValues(results, () => ({ type: 'data', result: null }));
  // A fault of the server is shown; a request that didn't arrive is repeated.
  if (isServerFault(findFault(results))) return results;
  throw redirect(request.url);
}

const isShown = ({ url }: Request) => url.split('#')[0] === shown.href.split('#')[0];
const known = (route: string): DataStrategyResult => ({
  type: 'data',
  result: shown.loaderData[route],
});

const areKnown = (results: Results) =>
  Object.keys(results).every((route) => shown.loaderData[route] !== undefined);

function findFault(results: Results): unknown {
  return Object.values(results).find(({ type, result }) => type === 'error' && !isRedirect(result))
    ?.result;
}

function readSign(results: Results, isRead: boolean): Sign | null {
  const all = Object.values(results);
  const fault = findFault(results);
  if (isRouteErrorResponse(fault) && fault.status === 401) return 'signed-out';
  if (isRouteErrorResponse(fault)) return fault.status >= 500 ? 'away' : 'answered';
  if (fault !== undefined) return isServerFault(fault) ? 'away' : 'unreachable';
  if (isRead && all.some(({ result }) => isRedirect(result) && leadsToSignIn(result)))
    return 'signed-out';
  return all.length > 0 ? 'answered' : null;
}

/** The message is the router's; the cause stays on the server. */
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
    noteFormProblem(null);
    if (Object.values(results).some(({ result }) => isRedirect(result))) isToastExpected = true;
    return results;
  }
  noteFormProblem(explainProblem(fault));
  // A form that another page answers, such as the theme, would leave this page.
  const isOfOtherPage = new URL(request.url).pathname !== new URL(shown.href).pathname;
  // From 400 on, the router doesn't request the page's data again.
  const answer = data(lastAnswer, { status: 503 });
  const result = isOfOtherPage ? redirect(shown.href) : answer;
  return mapValues(results, () => ({ type: 'data', result }));
}

function explainProblem(error: unknown): FormProblem {
  if (isRouteErrorResponse(error) || isServerFault(error)) {
    const { title, text, team } = explainFault(error);
    return { title, text: `${text} Your input is still here.`, ...(team && { team }) };
  }
  return {
    title: 'It is unknown whether that was done',
    text: 'Belfry did not answer. Your input is still here. Once the connection is back, check whether it was done; if not, send it again.',
  };
}

/** Another tab has switched the team. This page and its forms keep their own. */
function isOfOtherTeam(results: Results): boolean {
  const shownTeam = teamOf(shown.loaderData['routes/signed-in']);
  const current = teamOf(results['routes/signed-in']?.result);
  if (!shownTeam || !current || current.id === shownTeam.id) return false;
  noteFormProblem({
    title: `Your current team is ${current.name} now`,
    text: `It was switched elsewhere. This page still shows ${shownTeam.name}.`,
    team: shownTeam,
  });
  return true;
}

const teamOf = (shell: unknown) =>
  (shell as { team: { id: string; name: string } } | undefined)?.team;

function mapValues(
  results: Results,
  change: (result: DataStrategyResult, route: string) => DataStrategyResult,
): Results {
  return Object.fromEntries(
    Object.entries(results).map(([route, result]) => [route, change(result, route)]),
  );
}
