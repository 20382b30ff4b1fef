import { useState } from 'react';
import { useRouteLoaderData, useLocation } from 'react-router';
import type { loader } from '../routes/signed-in.tsx';

export type Shell = Awaited<ReturnType<typeof loader>>;

/** Undefined before the sign-in. */
export function useShell() {
  return useRouteLoaderData<typeof loader>('routes/signed-in');
}

/** The router drops it at a refresh; here it stays until another page or form. */
export function useAnswer<Answer>(given: Answer | undefined): Answer | undefined {
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, answer: given });
  const answer = given ?? (kept.key === key ? kept.answer : undefined);
  if (kept.key !== key || kept.answer !== answer) setKept({ key, answer });
  return answer;
}
