import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { Action, ActorType, Provider } from '@candor/contracts';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId!: string;
  @Column('text') name!: string;
  @Column('text', { name: 'actor_type' }) actorType!: ActorType;
  @Column('text', { name: 'allowed_actions', array: true }) allowedActions!: Action[];
  @Column('text', { name: 'allowed_providers', array: true, nullable: true }) allowedProviders!: Provider[] | null;
  @Column('text', { array: true, nullable: true }) principals!: string[] | null;
  /** null = no limit. */
  @Column('integer', { name: 'rate_limit_per_minute', nullable: true }) rateLimitPerMinute!: number | null;
  /** The installation's first key: may create tenants, isn't limited. */
  @Column('boolean', { name: 'is_installation_key', default: false }) isInstallationKey!: boolean;
  @Column({ type: 'timestamptz', precision: 3, name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column({ type: 'timestamptz', precision: 3, name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
}

/** A key has one secret, two while it is being rotated. Only the SHA-256 is stored. */
@Entity('api_key_secrets')
export class ApiKeySecretEntity {
  @PrimaryColumn('text', { name: 'public_id' }) publicId!: string;
  @Column('uuid', { name: 'api_key_id' }) apiKeyId!: string;
  @Column('bytea', { name: 'secret_sha256' }) secretSha256!: Buffer;
  @Column({ type: 'timestamptz', precision: 3, name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' }) createdAt!: Date;
}
