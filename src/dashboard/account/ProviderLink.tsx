import { Link } from 'react-router';
import { TabTitle } from '../page/PageHeader.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';

/** Leaves for the operator's provider, which sends the browser back. A whole page goes, so it works without scripts. */
export function ProviderLink({
  name,
  next,
  word = `Sign in with ${name}`,
  isAgain = false,
}: {
  /** What people call the provider. */
  name: string;
  /** Where to go after it; a path of ours. */
  next: string;
  word?: string;
  /** To be asked for anew, in place of a password. */
  isAgain?: boolean;
}) {
  const query = new URLSearchParams({ next, ...(isAgain && { again: '1' }) });
  return (
    <p>
      <ButtonLink
        to={`/login/provider?${query.toString()}`}
        reloadDocument
        variant="default"
        {...(!isAgain && { size: 'large' })}
      >
        {word}
      </ButtonLink>
    </p>
  );
}

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
