import { AppError, SOURCE_CREDENTIALS_SCHEMAS, SOURCE_SETTINGS_SCHEMAS, type SourceProvider } from '@candor/contracts';
import { describeIssues } from '@candor/runtime';
import { requireAllowedAddress, type AddressRules } from './require-allowed-address.js';

type JsonRecord = Record<string, unknown>;

/** Settings as the provider's schema gives them. Errors: REQUEST.INVALID, naming the field and never a value. */
export function readSettings(provider: SourceProvider, value: unknown, rules: AddressRules): JsonRecord {
  const settings: JsonRecord = read(SOURCE_SETTINGS_SCHEMAS[provider], value, 'settings');
  for (const field of ['baseUrl', 'tokenUrl']) {
    const address = settings[field];
    if (typeof address === 'string') requireAllowedAddress(`settings.${field}`, address, rules);
  }
  return settings;
}

export function readCredentials(provider: SourceProvider, value: unknown): JsonRecord {
  return read(SOURCE_CREDENTIALS_SCHEMAS[provider], value, 'credentials');
}

/** Names of the fields that are set, nested ones with dots. */
export function listFields(value: JsonRecord, prefix = ''): string[] {
  return Object.entries(value)
    .flatMap(([name, inner]) =>
      typeof inner === 'object' && inner !== null
        ? listFields(inner as JsonRecord, `${prefix}${name}.`)
        : [`${prefix}${name}`],
    )
    .sort();
}

type SourceSchema = (typeof SOURCE_SETTINGS_SCHEMAS | typeof SOURCE_CREDENTIALS_SCHEMAS)[SourceProvider];

function read(schema: SourceSchema, value: unknown, root: string): JsonRecord {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error.issues, '').map(({ field, rule }) => ({
    field: field === '' ? root : `${root}.${field}`,
    rule,
  }));
  const { field, rule } = issues[0] ?? { field: root, rule: 'is not valid' };
  throw new AppError('REQUEST.INVALID', { message: `${field} ${rule}`, details: { field, rule, issues } });
}
