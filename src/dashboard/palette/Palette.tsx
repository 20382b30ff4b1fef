import {
  type KeyboardEvent as ReactKeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useNavigate } from 'react-router';
import { addressOf } from '../address.ts';
import { useShell } from '../page/shell.ts';
import { findPalettePages } from './places.ts';
import { type Entry, rankEntries } from './rank-entries.ts';
import classes from '../parts/Overlays.module.css';

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const keyOf = ({ name, to }: Entry) => `${to} ${name}`;

/**
 * A shortcut: everything in it has a link elsewhere, and the search field works without it. It opens empty each time.
 */
function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  /** Before the server's response, so the best match is unknown. */
  const [isGoing, setIsGoing] = useState(false);
  const { entries, isWhole, isAway, isNowhere } = usePaletteEntries(query);
  const at = Math.max(
    0,
    entries.findIndex((entry) => keyOf(entry) === chosen),
  );
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate(entry.to);
  };
  useEffect(() => {
    if (isGoing && isWhole) go(entries[at]);
  });
  const onKeyDown = (event: ReactKeyboardEvent) => {
    const move = moves[event.key];
    if (move !== undefined) {
      const next = entries[(at + move + entries.length) % Math.max(1, entries.length)];
      if (next) setChosen(keyOf(next));
    } else if (event.key === 'Enter') {
      if (chosen === null && !isWhole) setIsGoing(true);
      else go(entries[at]);
    } else return;
    event.preventDefault();
  };
  const dialog = useRef<HTMLDialogElement>(null);
  // The browser keeps the focus inside, and gives it back at the end.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at, entries.length]);
  return (
    <dialog
      ref={dialog}
      className={classes.palette}
      aria-label="Go to"
      // The event `close` comes later than a key that opens it again.
      onCancel={onClose}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
        aria-label="Page, name, id or text to search for"
        placeholder="A page, cron, queue or id"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setChosen(null);
          setIsGoing(false);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id="palette-entries" role="listbox" aria-label="Matches">
        {entries.map((entry, index) => (
          <li
            key={keyOf(entry)}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(entry)}
            onPointerMove={() => setChosen(keyOf(entry))}
          >
            <span className="cut">{entry.name}</span>
            <small className="muted">{entry.hint}</small>
          </li>
        ))}
      </ul>
      <p role="status" className="muted">
        {isAway ? 'The search for crons, queues and ids failed. Pages can still be opened.' : null}
        {isNowhere
          ? 'No page, cron or queue of this team has this name, and nothing in it has this id.'
          : null}
      </p>
    </dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** @param hasSlashKey speech input presses single keys by accident (WCAG 2.1.4) */
export function Shortcuts({ hasSlashKey }: { hasSlashKey: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isWithModifier = event.ctrlKey || event.metaKey || event.altKey;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setIsOpen(true);
      } else if (
        hasSlashKey &&
        event.key === '/' &&
        !isWithModifier &&
        !isTyping(event.target) &&
        !document.querySelector('dialog[open]')
      ) {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('[data-search]')?.focus();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [hasSlashKey]);
  return isOpen ? <Palette onClose={() => setIsOpen(false)} /> : null;
}

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
function usePaletteEntries(query: string) {
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
