import { useEffect, useRef } from 'react';
import { useRevalidator } from 'react-router';
import classes from './LiveRefresh.module.css';

/**
 * True while a refresh would get in somebody's way: the pointer is over a live area, rows are selected,
 * a form was changed, a dialog or menu is open. Each marks itself with `data-holds-refresh`.
 */
function isHeld(): boolean {
  const holders =
    '[data-holds-refresh], [data-live]:hover, [popover]:popover-open, dialog[open], details[name=menu][open]';
  if (document.querySelector(holders) !== null) return true;
  return [...document.querySelectorAll<HTMLFormElement>('main form[method="post"]')].some(
    isChanged,
  );
}

/** Something was typed or chosen that is not sent yet. */
function isChanged(form: HTMLFormElement): boolean {
  return [...form.elements].some((field) => {
    if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
    if (field instanceof HTMLSelectElement)
      return [...field.options].some((option) => option.selected !== option.defaultSelected);
    if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false;
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  });
}

/**
 * Asks the page's loaders again every `everySeconds` while the tab is seen and nobody is in the way.
 * Without a script the page says how to refresh by being an ordinary page.
 */
export function useLiveRefresh(everySeconds: number): void {
  const revalidator = useRevalidator();
  const latest = useRef(revalidator);
  useEffect(() => {
    latest.current = revalidator;
  });
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState !== 'visible' || latest.current.state !== 'idle' || isHeld())
        return;
      void latest.current.revalidate();
    };
    const timer = setInterval(refresh, everySeconds * 1000);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [everySeconds]);
}

/** The quiet line that says that a list renews itself, and what waits. */
export function WaitingRows({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div role="status" className={classes.waiting}>
      {count > 0 ? (
        <button type="button" onClick={onShow}>
          {count} new
        </button>
      ) : null}
    </div>
  );
}
