import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Palette } from './Palette.tsx';
import { isForm, useMayWork } from '../page/may-change.ts';
import { reachable as all, type Place } from './places.ts';
import classes from './Shortcuts.module.css';

const others: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Find a page, cron, queue, action or id'],
  ['/', 'Into the search field'],
  ['Shift and click', 'Select a range of rows'],
  ['?', 'This sheet'],
];

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** The keys of the dashboard: two letters to go somewhere, Ctrl-K for the palette, `?` for the sheet of them all. */
export function Shortcuts() {
  const [open, setOpen] = useState<'palette' | 'sheet' | null>(null);
  const navigate = useNavigate();
  const first = useRef({ key: '', at: 0 });
  const mayWork = useMayWork();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen('palette');
        return;
      }
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector('dialog[open]')
      )
        return;
      const before = Date.now() - first.current.at < 1200 ? first.current.key : '';
      const place = reachableFor(mayWork).find(({ keys }) => keys === `${before} ${event.key}`);
      first.current = { key: event.key, at: Date.now() };
      if (place) void navigate(place.to);
      else if (event.key === '?') setOpen('sheet');
      else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('[data-search]')?.focus();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, mayWork]);
  return (
    <>
      <Palette
        isOpen={open === 'palette'}
        onClose={() => setOpen((now) => (now === 'palette' ? null : now))}
      />
      <ShortcutSheet
        isOpen={open === 'sheet'}
        onClose={() => setOpen((now) => (now === 'sheet' ? null : now))}
      />
    </>
  );
}

function reachableFor(mayWork: boolean): readonly Place[] {
  return mayWork ? all : all.filter(({ to }) => !isForm(to));
}

function ShortcutSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  const reachable = reachableFor(useMayWork());
  const rows = [...others, ...reachable.map(({ keys, name }) => [keys, name] as const)];
  return (
    <dialog
      ref={ref}
      className={classes.sheet}
      aria-labelledby="shortcuts"
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <h2 id="shortcuts">Keys</h2>
      <dl>
        {rows.map(([keys, name]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button className="control">Close</button>
      </form>
    </dialog>
  );
}
