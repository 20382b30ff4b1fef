import { Outlet } from 'react-router';
import { Brand } from '../page/Frame.tsx';
import classes from './door.module.css';

/** What stands around the pages for people who are not in yet: the mark and one panel. */
export default function Door() {
  return (
    <div className={classes.door}>
      <header>
        <Brand />
      </header>
      <main className={classes.panel}>
        <Outlet />
      </main>
    </div>
  );
}
