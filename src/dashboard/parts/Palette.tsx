import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { reachable, settingsPages } from './places.ts';
import classes from './Palette.module.css';

type Entry = { name: string; to: string; hint?: string };

const pages: readonly Entry[] = [
  ...reachable.map(({ name, to, keys }) => ({ name, to, hint: keys })),
  ...settingsPages.map(({ name, to }) => ({ name: `Settings: ${name}`, to })),
];

/** Pages whose name holds every typed word, then searches for the text itself. */
function findEntries(typed: string): Entry[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = pages.filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  if (words.length === 0) return found;
  const query = encodeURIComponent(typed.trim());
  return [
    ...found.slice(0, 8),
    { name: `Search jobs for “${typed.trim()}”`, to: `/jobs?tab=all&q=${query}` },
    { name: `Search crons for “${typed.trim()}”`, to: `/crons?q=${query}` },
  ];
}

/**
 * The command palette (Ctrl-K): type a few letters, go there. It adds a short way; everything in it has
 * a link elsewhere, and the search field of the top bar is a form that works without it.
 */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  const entries = findEntries(typed);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    setTyped('');
    setAt(0);
    void navigate(entry.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move !== undefined) setAt((at + move + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') go(entries[at]);
    else return;
    event.preventDefault();
  };
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
        aria-label="Page or text to search for"
        placeholder="Go to a page, or search"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <EntryList entries={entries} at={at} onPoint={setAt} onChoose={go} />
    </dialog>
  );
}

type EntryListProps = {
  entries: readonly Entry[];
  at: number;
  onPoint: (at: number) => void;
  onChoose: (entry: Entry) => void;
};

function EntryList({ entries, at, onPoint, onChoose }: EntryListProps) {
  return (
    <ul id="palette-entries" role="listbox" aria-label="Matches">
      {entries.map((entry, index) => (
        <li
          key={entry.name}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === at}
          onClick={() => onChoose(entry)}
          onPointerMove={() => onPoint(index)}
        >
          <span>{entry.name}</span>
          {entry.hint ? <kbd>{entry.hint}</kbd> : null}
        </li>
      ))}
    </ul>
  );
}
