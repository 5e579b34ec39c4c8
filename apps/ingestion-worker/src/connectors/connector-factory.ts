import type { SourceCredentials, SourceProvider, SourceSettings } from '@candor/contracts';
import type { ConnectorOptions } from './connector-options.js';
import type { SourceConnector } from './source-connector.port.js';

/** Makes the connector of one account; what it may call is decided by the operator's configuration alone. */
export type ConnectorFactory = (
  provider: SourceProvider,
  settings: SourceSettings,
  credentials: SourceCredentials,
  overrides?: Pick<ConnectorOptions, 'retry'>,
) => SourceConnector;

export const CONNECTOR_FACTORY = Symbol('ConnectorFactory');
