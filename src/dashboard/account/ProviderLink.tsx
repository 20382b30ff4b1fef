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
  /** The display name of the provider. */
  name: string;
  /** The path of this site to open afterwards. */
  next: string;
  word?: string;
  /** To authenticate again, instead of a password. */
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

/** Replaces the page to which the provider would have led. */
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
