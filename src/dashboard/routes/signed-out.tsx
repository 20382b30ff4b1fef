import { Outlet } from 'react-router';
import { Brand } from '../page/AppShell.tsx';
import classes from './signed-out.module.css';

/** What stands around the pages for people who are not in yet: the mark and one panel. */
export default function SignedOutLayout() {
  return (
    <div className={classes.panelPage}>
      <header>
        <Brand />
      </header>
      <main className={classes.panel}>
        <Outlet />
      </main>
    </div>
  );
}
