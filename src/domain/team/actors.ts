/** Names are kept as text, so that they outlive accounts and tokens. */

interface NamedUser {
  name: string;
  email: string;
}

export function nameUser({ name, email }: NamedUser): string {
  return `${name} (${email})`;
}

/** Who calls the API with a user's token. */
export function nameTokenOf(user: NamedUser): string {
  return `${nameUser(user)}, API token`;
}

export function nameServiceAccount(name: string): string {
  return `${name} (service account)`;
}
