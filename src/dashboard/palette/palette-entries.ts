import { useShell } from '../page/shell.ts';
import { useEffect, useState } from 'react';
import { addressOf } from '../address.ts';
import { findPalettePages } from './places.ts';
import { rankEntries, type Entry } from './rank-entries.ts';

/** The server's results, and their text. */
type Answer = { query: string; entries: readonly Entry[]; isAway: boolean };
const nothing: Answer = { query: '', entries: [], isAway: false };

/** How long to wait for the next letter before the server is queried. Pauses between letters are seldom longer. */
const PAUSE_MS = 120;

async function askServer(query: string, signal: AbortSignal): Promise<Answer> {
  try {
    const answer = await fetch(addressOf(`/find?q=${encodeURIComponent(query)}`), { signal });
    if (!answer.ok) return { ...nothing, query, isAway: true };
    const { entries } = (await answer.json()) as { entries: Entry[] };
    return { query, entries, isAway: false };
  } catch {
    return { ...nothing, query, isAway: true };
  }
}

/** The palette's entries for a text, best match first. `isWhole`: the server has answered for this text. */
export function usePaletteEntries(query: string) {
  const text = query.trim();
  const [answer, setAnswer] = useState(nothing);
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
  const isWhole = text === '' || answer.query === text;
  // Entries that were found for fewer letters stay until the server answers, so that nothing flickers.
  const found = text === '' ? [] : answer.entries.map((entry) => stillFound(entry, isWhole));
  const ranked = rankEntries(text, [...(role ? findPalettePages(role) : []), ...found]);
  return {
    entries: [...ranked, ...searchesFor(text)],
    isWhole,
    isAway: isWhole && text !== '' && answer.isAway,
    isNowhere: isWhole && text !== '' && !answer.isAway && ranked.length === 0,
  };
}

function stillFound(entry: Entry, isWhole: boolean): Entry {
  return isWhole ? entry : { ...entry, isFound: false };
}

function searchesFor(text: string): Entry[] {
  if (text === '') return [];
  const query = encodeURIComponent(text);
  return [
    { name: `Search jobs for “${text}”`, to: `/jobs?tab=all&q=${query}` },
    { name: `Search crons for “${text}”`, to: `/crons?q=${query}` },
  ];
}
