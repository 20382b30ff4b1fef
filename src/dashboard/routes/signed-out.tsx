import { Outlet } from 'react-router';
import { Brand } from '../page/AppShell.tsx';
import classes from './signed-out.module.css';

/** The frame of the pages for people who are not signed in: the logo and one panel. */
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
