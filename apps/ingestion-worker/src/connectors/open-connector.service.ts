import { Inject, Injectable } from '@nestjs/common';
import { AppError, SOURCE_CREDENTIALS_SCHEMAS, SOURCE_SETTINGS_SCHEMAS } from '@candor/contracts';
import { Database, readCredentials, type SourceConnector as StoredSource } from '@candor/persistence';
import { CredentialCipher, credentialOwner } from '@candor/runtime';
import type { SourceConnector } from './source-connector.port.js';
import type { ConnectorOptions } from './connector-options.js';
import { CONNECTOR_FACTORY, type ConnectorFactory } from './connector-factory.js';

/** Stored source → connector. The credentials live as long as the connector does, and are nowhere logged. */
@Injectable()
export class OpenConnectorService {
  constructor(
    private readonly database: Database,
    private readonly cipher: CredentialCipher,
    @Inject(CONNECTOR_FACTORY) private readonly createConnector: ConnectorFactory,
  ) {}

  /** Errors: CONNECTOR.CREDENTIALS_UNREADABLE, CONNECTOR.CREDENTIALS_REJECTED when there are none. */
  async open(source: StoredSource, overrides?: Pick<ConnectorOptions, 'retry'>): Promise<SourceConnector> {
    const sealed = await this.database.read((manager) => readCredentials(manager, source.id));
    if (!sealed) throw new AppError('CONNECTOR.CREDENTIALS_REJECTED', { message: 'The source has no credentials.' });
    const credentials: unknown = JSON.parse(this.cipher.open(sealed, credentialOwner(source)));
    return this.createConnector(
      source.provider,
      SOURCE_SETTINGS_SCHEMAS[source.provider].parse(source.settings),
      SOURCE_CREDENTIALS_SCHEMAS[source.provider].parse(credentials),
      overrides,
    );
  }
}
