import { Outlet } from 'react-router';
import { Brand } from '../page/AppShell.tsx';
import classes from './signed-out.module.css';

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
