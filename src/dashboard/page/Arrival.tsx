import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

/**
 * What a browser does by itself where a page is loaded anew: another page is read out by its title, and
 * the keyboard goes on in it where what had the focus is gone.
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
