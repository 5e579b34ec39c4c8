/**
 * Everything that looks across tenants, by name: `database.system('<purpose>')` is the only way to do it, and
 * docs/security/cross-tenant-access.md lists who does. A spec holds the list and the code to each other.
 */
export const SYSTEM_PURPOSES = {
  authentication: 'An API key is found by its public id; its tenant is known only then.',
  'signed-event': "A provider's signed event names a source; its tenant is known only then.",
  bootstrap: 'The first key and the default tenant are made, or found.',
  housekeeping: 'What was abandoned is closed and what has expired is dropped, whoever it belongs to.',
  dispatch: "The outbox hands everybody's work to the queue, in turns.",
  sweep: 'Work whose job was lost is found and sent again.',
  schedule: 'The schedules of all sources are compared with those of the queue.',
  'library-embedding': 'Prompts and collections without a vector are found.',
  'relation-scan': 'The next tenant whose corpus changed is looked through for relations.',
  recipes: 'What the indices in use were built with is listed, and adopted where it is unknown.',
  'index-rebuild': 'The live generations are listed, to find those whose index was lost.',
  'credential-rotation': 'All stored credentials are sealed with the newest key.',
  'seal-audit': "Everybody's audit events are sealed, each tenant's in a chain of its own.",
  retention: 'What tenants keep no longer is removed.',
  erasure: 'Erasures of tenants and persons are found and gone on with.',
  tenants: 'The holder of the first key lists, makes and erases tenants.',
} as const;

export type SystemPurpose = keyof typeof SYSTEM_PURPOSES;
