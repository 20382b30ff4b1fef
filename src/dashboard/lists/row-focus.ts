import { useEffect } from 'react';

const CONTROLS = 'a[href], button, input:not([type="hidden"]), select';

/** Where the focus goes if its element is removed. */
interface Way {
  path: string;
  /** From the focused one on. */
  rows: readonly Element[];
  heading: Element | null;
}

/** If a row disappears with the focus, the next row gets it, else the heading of its list. On the same page only. */
export function useRowFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let way: Way | null = null;
    const note = ({ target }: FocusEvent) => {
      focused = target as Element;
      way = wayFrom(focused);
    };
    // Browsers report this for removed elements, too, before they are gone.
    const forget = ({ target }: FocusEvent) =>
      void setTimeout(() => {
        if (focused === target && focused?.isConnected) focused = null;
      });
    const observer = new MutationObserver(() => {
      if (focused === null || focused.isConnected) return;
      focused = null;
      if (document.activeElement !== document.body) return;
      if (way?.path === location.pathname) go(way);
    });
    document.addEventListener('focusin', note);
    document.addEventListener('focusout', forget);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('focusout', forget);
    };
  }, []);
}

function wayFrom(focused: Element): Way | null {
  const row = focused.closest('tbody tr') ?? focused.closest('main li');
  if (row === null) return null;
  const rows = [...(row.parentElement?.children ?? [])];
  const heading = row.closest('section')?.querySelector('h2') ?? null;
  return { path: location.pathname, rows: rows.slice(rows.indexOf(row)), heading };
}

function go({ rows, heading }: Way): void {
  for (const row of rows.filter((each) => each.isConnected)) {
    const control = [...row.querySelectorAll<HTMLElement>(CONTROLS)].find((each) =>
      each.checkVisibility(),
    );
    if (control) return control.focus();
  }
  const left = heading?.isConnected ? heading : document.querySelector('main h1');
  if (!(left instanceof HTMLElement)) return;
  left.tabIndex = -1;
  left.focus();
}
