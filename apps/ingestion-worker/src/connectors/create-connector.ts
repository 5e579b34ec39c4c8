import {
  AppError,
  type NotionCredentials,
  type SlackCredentials,
  type SourceCredentials,
  type SourceProvider,
  type SourceSettings,
} from '@candor/contracts';
import type { ConnectorOptions } from './connector-options.js';
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
  if (provider === 'slack') return new SlackConnector(settings, credentials as SlackCredentials, options);
  if (provider === 'notion') return new NotionConnector(settings, credentials as NotionCredentials, options);
  throw new AppError('CONFIG.INVALID', { message: `There is no connector for ${provider} yet.` });
}
