import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent as ReactKeyboardEvent,
} from 'react';
import { useNavigate } from 'react-router';
import { usePaletteEntries } from './palette-entries.ts';
import type { Entry } from './rank-entries.ts';

import classes from './Palette.module.css';

const keyOf = ({ name, to }: Entry) => `${to} ${name}`;

/** The input, the marked entry, and the keys' effects on them. */
function useChoice(go: (entry: Entry) => void) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  /** Enter was pressed before the server's response arrived, so the best match is unknown. */
  const [isGoing, setIsGoing] = useState(false);
  const found = usePaletteEntries(query);
  const { entries, isWhole } = found;
  const at = Math.max(
    0,
    entries.findIndex((entry) => keyOf(entry) === chosen),
  );
  const type = (text: string) => {
    setQuery(text);
    setChosen(null);
    setIsGoing(false);
  };
  const choose = (entry: Entry | undefined) => {
    if (entry) go(entry);
  };
  useEffect(() => {
    if (isGoing && isWhole) choose(entries[at]);
  });
  const onKeyDown = (event: ReactKeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move !== undefined) {
      const next = entries[(at + move + entries.length) % Math.max(1, entries.length)];
      if (next) setChosen(keyOf(next));
    } else if (event.key === 'Enter') {
      if (chosen === null && !isWhole) setIsGoing(true);
      else choose(entries[at]);
    } else return;
    event.preventDefault();
  };
  const mark = (entry: Entry) => setChosen(keyOf(entry));
  return { ...found, query, at, type, choose, mark, onKeyDown };
}

/**
 * The command palette (Ctrl-K): type a few letters, or an id, and go there. It adds a short way; everything in it
 * has a link elsewhere, and the search field of the top bar is a form that works without it. It is open while it is
 * rendered, so it opens empty each time.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Gives the focus back to where it was.
    return () => dialog?.close();
  }, []);
  const choice = useChoice(({ to }) => {
    onClose();
    void navigate(to);
  });
  const { query, entries, at, isAway, isNowhere } = choice;
  return (
    <dialog
      ref={ref}
      className={classes.palette}
      aria-label="Go to"
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
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
        onChange={(event) => choice.type(event.currentTarget.value)}
        onKeyDown={choice.onKeyDown}
      />
      <EntryList entries={entries} at={at} onPoint={choice.mark} onChoose={choice.choose} />
      <p className={classes.note} role="status">
        {isAway ? 'The search for crons, queues and ids failed. Pages can still be opened.' : null}
        {isNowhere
          ? 'No page, cron or queue of this team has this name, and nothing in it has this id.'
          : null}
      </p>
    </dialog>
  );
}

type EntryListProps = {
  entries: readonly Entry[];
  at: number;
  onPoint: (entry: Entry) => void;
  onChoose: (entry: Entry) => void;
};

function EntryList({ entries, at, onPoint, onChoose }: EntryListProps) {
  const ref = useRef<HTMLUListElement>(null);
  useEffect(() => {
    ref.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at, entries.length]);
  return (
    <ul ref={ref} id="palette-entries" role="listbox" aria-label="Matches">
      {entries.map((entry, index) => (
        <li
          key={keyOf(entry)}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === at}
          onClick={() => onChoose(entry)}
          onPointerMove={() => onPoint(entry)}
        >
          <span>{entry.name}</span>
          <small>{entry.hint}</small>
        </li>
      ))}
    </ul>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * The keys of the dashboard: Ctrl-K opens the palette, `/` leads into the search field.
 *
 * @param hasSlashKey  speech input presses single keys by accident, so people can switch `/` off (WCAG 2.1.4)
 */
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
