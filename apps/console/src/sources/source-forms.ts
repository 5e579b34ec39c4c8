import type { CreateSourceBody, SourceProvider } from '@candor/contracts';

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  isSecret?: boolean;
  isOptional?: boolean;
  /** Several values, separated by commas. */
  isList?: boolean;
}

/** What each provider asks for. Of Google's ways in, this is the one for people: an OAuth client with a refresh token. */
export const SOURCE_FORMS: Readonly<Record<SourceProvider, { credentials: FormField[]; settings: FormField[] }>> = {
  slack: {
    credentials: [
      { name: 'botToken', label: 'Bot token', hint: 'Begins with xoxb-.', isSecret: true },
      {
        name: 'signingSecret',
        label: 'Signing secret',
        hint: 'Only for events that Slack sends; without it changes come with the next sync.',
        isSecret: true,
        isOptional: true,
      },
    ],
    settings: [
      {
        name: 'channelAllowlist',
        label: 'Channels',
        hint: 'Names or ids, separated by commas; empty = all that the bot sees.',
        isOptional: true,
        isList: true,
      },
    ],
  },
  notion: { credentials: [{ name: 'token', label: 'Integration token', isSecret: true }], settings: [] },
  google_drive: {
    credentials: googleCredentials(),
    settings: [
      {
        name: 'folderIds',
        label: 'Folder ids',
        hint: 'Separated by commas; empty = everything.',
        isOptional: true,
        isList: true,
      },
    ],
  },
  gmail: {
    credentials: googleCredentials(),
    settings: [
      {
        name: 'query',
        label: 'Only mails that match',
        hint: 'In Gmail’s own search syntax; empty = all.',
        isOptional: true,
      },
    ],
  },
};

function googleCredentials(): FormField[] {
  return [
    { name: 'clientId', label: 'Client id' },
    { name: 'clientSecret', label: 'Client secret', isSecret: true },
    { name: 'refreshToken', label: 'Refresh token', isSecret: true },
  ];
}

const BASE_URL: FormField = { name: 'baseUrl', label: 'Other API address', isOptional: true };

export function settingsOf(provider: SourceProvider): FormField[] {
  return [...SOURCE_FORMS[provider].settings, { ...BASE_URL, hint: 'Of a proxy; empty = the provider itself.' }];
}

export interface SourceInput {
  provider: SourceProvider;
  name: string;
  /** Minutes; empty = only when asked for. */
  everyMinutes: string;
  values: Readonly<Record<string, string>>;
}

/** The request, or what is missing by the field's name. */
export function buildSource(input: SourceInput): { body: CreateSourceBody } | { problems: Record<string, string> } {
  const { provider, values } = input;
  const problems: Record<string, string> = {};
  if (input.name.trim() === '') problems['name'] = 'Give it a name.';
  const minutes = Number(input.everyMinutes);
  if (input.everyMinutes !== '' && !(Number.isInteger(minutes) && minutes >= 1 && minutes <= 43_200))
    problems['everyMinutes'] = 'A whole number of minutes, from 1 to 43200.';
  for (const { name, label, isOptional } of SOURCE_FORMS[provider].credentials)
    if (!isOptional && !values[name]?.trim()) problems[name] = `${label} is needed.`;
  if (Object.keys(problems).length > 0) return { problems };
  const body = {
    provider,
    name: input.name.trim(),
    schedule: input.everyMinutes === '' ? null : { everyMinutes: minutes },
    settings: collect(settingsOf(provider), values),
    credentials: collect(SOURCE_FORMS[provider].credentials, values),
  };
  // The fields are the provider's own; the server checks each by its schema.
  return { body: body as CreateSourceBody };
}

function collect(fields: readonly FormField[], values: SourceInput['values']): Record<string, string | string[]> {
  return Object.fromEntries(
    fields.flatMap(({ name, isList }) => {
      const value = values[name]?.trim() ?? '';
      const parts = value.split(',').map((part) => part.trim());
      return value === '' ? [] : [[name, isList ? parts.filter((part) => part !== '') : value]];
    }),
  );
}
