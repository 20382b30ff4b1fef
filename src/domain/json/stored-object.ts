/** Written by us, perhaps without newer fields. Unreadable text has no fields. */
export function readStoredObject<Stored extends object>(text: string | null): Partial<Stored> {
  try {
    return { ...(JSON.parse(text ?? 'null') as Partial<Stored> | null) };
  } catch {
    return {};
  }
}
