import { useState } from 'react';
import { useRouteLoaderData, useLocation } from 'react-router';
import type { loader } from '../routes/signed-in.tsx';

/** The data of the shell around the page; undefined on pages before the sign-in. */
export function useShell() {
  return useRouteLoaderData<typeof loader>('routes/signed-in');
}

/**
 * The response to a form of this page: a result or a confirmation. The router drops it when the page refreshes; here it
 * stays until the user opens another page or sends another form.
 */
export function useAnswer<Answer>(given: Answer | undefined): Answer | undefined {
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, answer: given });
  const answer = given ?? (kept.key === key ? kept.answer : undefined);
  if (kept.key !== key || kept.answer !== answer) setKept({ key, answer });
  return answer;
}
