import { useEffect, useState } from 'react';
import { addressOf } from '../address.ts';
import { useShell } from '../page/shell.ts';
import { findPalettePages } from './places.ts';
import { rankEntries, type Entry } from './rank-entries.ts';

type Answer = { query: string; entries: readonly Entry[]; isAway: boolean };

/** Pauses between letters are seldom longer. */
const PAUSE_MS = 120;

async function askServer(query: string, signal: AbortSignal): Promise<Answer> {
  const path = `/find?q=${encodeURIComponent(query)}`;
  const answer = await fetch(addressOf(path), { signal }).catch(() => null);
  const found = answer?.ok
    ? ((await answer.json().catch(() => null)) as Partial<Answer> | null)
    : null;
  return { query, entries: found?.entries ?? [], isAway: found === null };
}

/** `isWhole`: the server has answered for this text. */
export function usePaletteEntries(query: string) {
  const text = query.trim();
  const [answer, setAnswer] = useState<Answer>({ query: '', entries: [], isAway: false });
  const role = useShell()?.team.role;
  useEffect(() => {
    if (text === '') return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void askServer(text, abort.signal).then((answered) => {
        if (!abort.signal.aborted) setAnswer(answered);
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const pages = role ? findPalettePages(role) : [];
  if (text === '')
    return { entries: rankEntries('', pages), isWhole: true, isAway: false, isNowhere: false };
  const isWhole = answer.query === text;
  // Entries for fewer letters stay, so that nothing flickers.
  const found = answer.entries.map((entry) => (isWhole ? entry : { ...entry, isFound: false }));
  const ranked = rankEntries(text, [...pages, ...found]);
  const q = encodeURIComponent(text);
  const searches: Entry[] = [
    { name: `Search jobs for “${text}”`, to: `/jobs?tab=all&q=${q}` },
    { name: `Search crons for “${text}”`, to: `/crons?q=${q}` },
  ];
  return {
    entries: [...ranked, ...searches],
    isWhole,
    isAway: isWhole && answer.isAway,
    isNowhere: isWhole && !answer.isAway && ranked.length === 0,
  };
}
