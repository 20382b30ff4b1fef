import { Link } from 'react-router';
import { TabTitle } from '../page/PageHeader.tsx';
import { Notice } from '../parts/Notice.tsx';
import { ProviderLink } from './ProviderLink.tsx';

/** In place of the page that the provider would have led to. */
export function ProviderProblem({ problem, name }: { problem: string; name: string }) {
  return (
    <>
      <TabTitle title="Not signed in" />
      <h1>Not signed in</h1>
      <Notice kind="failed">{problem}</Notice>
      <ProviderLink name={name} next="/" word={`Begin again with ${name}`} />
      <p>
        <Link to="/login">Other ways to sign in</Link>
      </p>
    </>
  );
}
