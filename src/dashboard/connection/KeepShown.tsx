import { useEffect } from 'react';
import { useLocation, useMatches } from 'react-router';
import { noteUntaken } from './connection.ts';
import { rememberShown } from './keepPage.ts';

/** Tells what stands on the page, so that it can stay when an answer fails to come. */
export function KeepShown() {
  const matches = useMatches();
  const { pathname, search } = useLocation();
  useEffect(() => {
    const loaderData = Object.fromEntries(matches.map((match) => [match.id, match.loaderData]));
    rememberShown({ href: `${window.location.origin}${pathname}${search}`, loaderData });
  }, [matches, pathname, search]);
  // What was said of a form of the page before is about nothing here.
  useEffect(() => noteUntaken(null), [pathname]);
  return null;
}
