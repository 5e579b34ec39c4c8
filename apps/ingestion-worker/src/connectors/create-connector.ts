import type {
  GoogleCredentials,
  NotionCredentials,
  SlackCredentials,
  SourceCredentials,
  SourceProvider,
  SourceSettings,
} from '@candor/contracts';
import type { ConnectorOptions } from './connector-options.js';
import { GmailConnector } from './gmail/gmail.connector.js';
import { GoogleDriveConnector } from './google-drive/google-drive.connector.js';
import { NotionConnector } from './notion/notion.connector.js';
import { SlackConnector } from './slack/slack.connector.js';
import type { SourceConnector } from './source-connector.port.js';

/** The connector of one account. Settings and credentials are those that the provider's own schemas let through. */
export function createConnector(
  provider: SourceProvider,
  settings: SourceSettings,
  credentials: SourceCredentials,
  options: ConnectorOptions,
): SourceConnector {
  switch (provider) {
    case 'slack':
      return new SlackConnector(settings, credentials as SlackCredentials, options);
    case 'notion':
      return new NotionConnector(settings, credentials as NotionCredentials, options);
    case 'google_drive':
      return new GoogleDriveConnector(settings, credentials as GoogleCredentials, options);
    case 'gmail':
      return new GmailConnector(settings, credentials as GoogleCredentials, options);
  }
}
