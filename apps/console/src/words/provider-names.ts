import type { Provider } from '@candor/contracts';

/** Complete by its type: a new provider has a name here before it compiles. */
export const PROVIDER_NAMES: Readonly<Record<Provider, string>> = {
  slack: 'Slack',
  notion: 'Notion',
  google_drive: 'Google Drive',
  gmail: 'Gmail',
  upload: 'Uploads',
};

export const PROVIDERS = Object.keys(PROVIDER_NAMES) as Provider[];
