import { ButtonLink } from '../parts/Button.tsx';

type ProviderLinkProps = {
  name: string;
  next: string;
  word?: string;
  /** Instead of a password. */
  isAgain?: boolean;
};

/** A whole page goes, so it works without scripts. */
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
