import { z } from 'zod';

/** Where an item comes from. `upload` extends seed 002's list with documents pushed straight in. */
export const PROVIDERS = ['slack', 'notion', 'google_drive', 'gmail', 'upload'] as const;
export const providerSchema = z.enum(PROVIDERS);
export type Provider = z.infer<typeof providerSchema>;

/**
 * Who may see an item, kept as the provider stated it (extra provider fields pass through).
 * `provider_scope`: everyone who may read the provider. `acl`: only the listed principals; no list means nobody.
 */
export const accessPolicySchema = z
  .looseObject({
    provider: providerSchema,
    mode: z.enum(['provider_scope', 'acl']),
    principals: z.array(z.string().min(1).max(320)).max(10_000).optional(),
  })
  .meta({ id: 'AccessPolicy' });
export type AccessPolicy = z.infer<typeof accessPolicySchema>;

/** The principal that stands for every caller. */
export const ANYONE = 'anyone';
