import { ButtonLink } from '../parts/Button.tsx';

type ProviderLinkProps = {
  /** The display name of the provider. */
  name: string;
  /** The path of this site to open afterwards. */
  next: string;
  word?: string;
  /** To authenticate again, instead of a password. */
  isAgain?: boolean;
};

/** Leaves for the operator's provider, which sends the browser back. A whole page goes, so it works without scripts. */
export function ProviderLink({ name, next, word, isAgain = false }: ProviderLinkProps) {
  const query = new URLSearchParams({ next, ...(isAgain && { again: '1' }) });
  return (
    <p>
      <ButtonLink
        to={`/login/provider?${query.toString()}`}
        reloadDocument
        variant="default"
        {...(!isAgain && { size: 'large' })}
      >
        {word ?? `Sign in with ${name}`}
      </ButtonLink>
    </p>
  );
}
