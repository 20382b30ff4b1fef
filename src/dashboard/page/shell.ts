import { useState } from 'react';
import { useRouteLoaderData, useLocation } from 'react-router';
import type { loader } from '../routes/signed-in.tsx';

/** What the shell around the page has loaded; undefined on pages before the sign-in. */
export function useShell() {
  return useRouteLoaderData<typeof loader>('routes/signed-in');
}

/**
 * The answer to a form of this page: a result or a question. The router drops it when the page refreshes itself; here
 * it stays until somebody goes elsewhere or sends another form.
 */
export function useAnswer<Answer>(given: Answer | undefined): Answer | undefined {
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, answer: given });
  const answer = given ?? (kept.key === key ? kept.answer : undefined);
  if (kept.key !== key || kept.answer !== answer) setKept({ key, answer });
  return answer;
}
