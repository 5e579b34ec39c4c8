import { CredentialCipher } from '@candor/runtime';
import { createConnector } from './connectors/create-connector.js';
import type { SourceDependencies } from './worker.module.js';

export interface SourceConfig {
  CANDOR_ENCRYPTION_KEYS: string;
  CANDOR_ALLOW_PRIVATE_CONNECTORS: boolean;
}

/** The real connectors, with the operator's rules. */
export function sourceDependenciesFrom(config: SourceConfig): SourceDependencies {
  const allowPrivateAddresses = config.CANDOR_ALLOW_PRIVATE_CONNECTORS;
  return {
    cipher: new CredentialCipher(config.CANDOR_ENCRYPTION_KEYS),
    createConnector: (provider, settings, credentials, overrides) =>
      createConnector(provider, settings, credentials, { allowPrivateAddresses, ...overrides }),
  };
}
