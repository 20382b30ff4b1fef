import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

/**
 * Does what a browser does when it loads a page: screen readers read out the title of a new page, and it gets the
 * focus if the focused element is gone.
 */
export function Arrival() {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  const [title, setTitle] = useState('');
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    const page = document.getElementById('page');
    setTitle(page?.querySelector('h1')?.textContent ?? '');
    if (document.activeElement === document.body) page?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <p className="sr-only" role="status">
      {title}
    </p>
  );
}
