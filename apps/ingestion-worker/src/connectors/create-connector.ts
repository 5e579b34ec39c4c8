import {
  AppError,
  type SlackCredentials,
  type SlackSettings,
  type SourceCredentials,
  type SourceProvider,
  type SourceSettings,
} from '@candor/contracts';
import type { ConnectorOptions } from './connector-options.js';
import { SlackConnector } from './slack/slack.connector.js';
import type { SourceConnector } from './source-connector.port.js';

/** The connector of one account. */
export function createConnector(
  provider: SourceProvider,
  settings: SourceSettings,
  credentials: SourceCredentials,
  options: ConnectorOptions,
): SourceConnector {
  if (provider === 'slack') return new SlackConnector(settings, credentials as SlackCredentials, options);
  throw new AppError('CONFIG.INVALID', { message: `There is no connector for ${provider} yet.` });
}
