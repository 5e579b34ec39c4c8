const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const NAME = new RegExp(`^(?:[^.]*\\.)?(${ID})$`, 'i');
const LONGEST_SLUG = 40;

/**
 * `weekly-report.<id>`: a word for people, who see names as commands, and the id, which alone is looked at: a prompt keeps
 * its name's meaning when its title changes.
 */
export function namePrompt({ id, title }: { id: string; title: string }): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? id : `${slug}.${id}`;
}

/** null = a name that no prompt can have. */
export function promptIdOf(name: string): string | null {
  return NAME.exec(name)?.[1]?.toLowerCase() ?? null;
}
