import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate, useRouteLoaderData, useSubmit } from 'react-router';
import { noteUntaken, readConnection } from '../connection/connection.ts';
import { teamField } from '../serving/form-team.ts';
import type { loader as signedInLoader } from '../routes/signed-in.tsx';
import { usePaletteEntries } from './palette-entries.ts';
import type { Entry } from './rank-entries.ts';
import classes from './Palette.module.css';

const keyOf = ({ name, to, post }: Entry) => `${to} ${name} ${JSON.stringify(post)}`;

/** Opens what an entry leads to, or sends its form. */
function useGo(): (entry: Entry) => void {
  const navigate = useNavigate();
  const submit = useSubmit();
  const team = useRouteLoaderData<typeof signedInLoader>('routes/signed-in')?.team;
  return ({ to, post }) => {
    if (!post) {
      void navigate(to);
    } else if (readConnection().kind === 'lost') {
      noteUntaken({
        title: 'Nothing was sent',
        text: 'Belfry does not answer. Try it again once the connection is back.',
      });
    } else {
      void submit(
        { ...post, ...(team && { [teamField]: team.id }) },
        { method: 'post', action: to },
      );
    }
  };
}

/** What was typed, which entry is marked, and what keys do with them. */
function useChoice(go: (entry: Entry) => void) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  /** Enter was pressed before the server's answer arrived, so the best match is not known yet. */
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
    if (!entry) return;
    type('');
    go(entry);
  };
  useEffect(() => {
    if (isGoing && isWhole) choose(entries[at]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
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
  return { ...found, query, at, type, choose, mark, onKeyDown, stay: () => setIsGoing(false) };
}

/**
 * The command palette (Ctrl-K): type a few letters, or an id, and go there. It adds a short way; everything in it
 * has a link elsewhere, and the search field of the top bar is a form that works without it.
 */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const go = useGo();
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  const choice = useChoice((entry) => {
    onClose();
    go(entry);
  });
  const { query, entries, at, isAway, isNowhere } = choice;
  const leave = () => {
    choice.stay();
    onClose();
  };
  return (
    <dialog
      ref={ref}
      className={classes.palette}
      aria-label="Go to"
      onClose={leave}
      onClick={(event) => event.target === ref.current && leave()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
        aria-label="Page, name, id or text to search for"
        placeholder="A page, cron, queue, action or id"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => choice.type(event.currentTarget.value)}
        onKeyDown={choice.onKeyDown}
      />
      <EntryList entries={entries} at={at} onPoint={choice.mark} onChoose={choice.choose} />
      <p className={classes.note} role="status">
        {isAway ? 'Belfry does not answer: crons, queues and ids can’t be found just now.' : null}
        {isNowhere ? 'Nothing in your teams has this name or id.' : null}
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
          {entry.isKeys ? <kbd>{entry.hint}</kbd> : <small>{entry.hint}</small>}
        </li>
      ))}
    </ul>
  );
}
