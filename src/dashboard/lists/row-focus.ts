import { useEffect } from 'react';

const CONTROLS = 'a[href], button, input:not([type="hidden"]), select';

/** Where the focus goes if its element is removed. */
interface Way {
  path: string;
  /** From the focused one on, or all. */
  rows: readonly Element[];
  heading: Element | null;
}

/**
 * If a row disappears with the focus, the next row gets it, else the heading of its list. The same for a list's bulk
 * actions and the buttons of a heading. On the same page only.
 */
export function useRowFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let way: Way | null = null;
    const note = ({ target }: FocusEvent) => {
      focused = target as Element;
      way = wayFrom(focused);
    };
    // Browsers report this for elements that go, too, before they are gone.
    const forget = ({ target }: FocusEvent) =>
      void setTimeout(() => {
        if (focused === target && focused !== null && !isGone(focused)) focused = null;
      });
    const look = () => {
      if (focused === null || !isGone(focused)) return;
      const { activeElement: at } = document;
      const isLost = at === document.body || at === focused;
      focused = null;
      if (isLost && way?.path === location.pathname) go(way);
    };
    const observer = new MutationObserver(look);
    document.addEventListener('focusin', note);
    document.addEventListener('focusout', forget);
    const changes = { childList: true, subtree: true, attributeFilter: ['inert'] };
    observer.observe(document.body, changes);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('focusout', forget);
    };
  }, []);
}

function isGone(element: Element): boolean {
  return !element.isConnected || element.closest('[inert]') !== null;
}

function wayFrom(focused: Element): Way | null {
  const place = focused.closest('main :is(tr, #bulk, header)') ?? focused.closest('main li');
  if (place === null) return null;
  const heading = place.closest('section')?.querySelector('h2') ?? null;
  return { path: location.pathname, rows: rowsFrom(place), heading };
}

function rowsFrom(place: Element): Element[] {
  const { parentElement: list } = place;
  const siblings = [...(list?.children ?? [])];
  if (place.matches('tr, li')) return siblings.slice(siblings.indexOf(place));
  // Its `id` would be a field of the rows.
  return place.matches('#bulk') ? [...(list?.querySelectorAll('tbody tr') ?? [])] : [];
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
