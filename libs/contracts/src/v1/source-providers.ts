import { z } from 'zod';

/** The providers that can be synced; `upload` is pushed. */
export const SOURCE_PROVIDERS = ['slack', 'notion', 'google_drive', 'gmail'] as const;
export const sourceProviderSchema = z.enum(SOURCE_PROVIDERS);
export type SourceProvider = z.infer<typeof sourceProviderSchema>;

const secret = z.string().min(1).max(10_000);
/** Another address of the same API: a proxy, or an emulator in tests. Private addresses need the operator's leave. */
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_000);
const name = z.string().min(1).max(300);

export const slackSettingsSchema = z.strictObject({
  baseUrl: address.optional(),
  /** Ids or names; absent = every channel that the token sees. */
  channelAllowlist: z.array(name).min(1).max(5_000).optional(),
});
export const slackCredentialsSchema = z.strictObject({
  botToken: secret,
  /** Proves the events that Slack sends; without it none is accepted. */
  signingSecret: secret.optional(),
});

export const notionSettingsSchema = z.strictObject({ baseUrl: address.optional() });
export const notionCredentialsSchema = z.strictObject({ token: secret });

const googleSettings = {
  baseUrl: address.optional(),
  tokenUrl: address.optional(),
};
export const googleDriveSettingsSchema = z.strictObject({
  ...googleSettings,
  includeSharedDrives: z.boolean().optional(),
  /** Only what lies below these folders; absent = everything. */
  folderIds: z.array(name).min(1).max(1_000).optional(),
});
export const gmailSettingsSchema = z.strictObject({
  ...googleSettings,
  /** In Gmail's own search syntax. */
  query: z.string().min(1).max(1_000).optional(),
  /** Default true. */
  includeAttachments: z.boolean().optional(),
});
export const googleCredentialsSchema = z.union([
  z.strictObject({ clientId: secret, clientSecret: secret, refreshToken: secret }),
  z.strictObject({ accessToken: secret }),
  z.strictObject({
    serviceAccount: z.strictObject({ clientEmail: secret, privateKey: secret, subject: secret.optional() }),
  }),
]);

export const SOURCE_SETTINGS_SCHEMAS = {
  slack: slackSettingsSchema,
  notion: notionSettingsSchema,
  google_drive: googleDriveSettingsSchema,
  gmail: gmailSettingsSchema,
} as const;
export const SOURCE_CREDENTIALS_SCHEMAS = {
  slack: slackCredentialsSchema,
  notion: notionCredentialsSchema,
  google_drive: googleCredentialsSchema,
  gmail: googleCredentialsSchema,
} as const;

export type SlackSettings = z.infer<typeof slackSettingsSchema>;
export type SlackCredentials = z.infer<typeof slackCredentialsSchema>;
export type NotionSettings = z.infer<typeof notionSettingsSchema>;
export type NotionCredentials = z.infer<typeof notionCredentialsSchema>;
export type GoogleDriveSettings = z.infer<typeof googleDriveSettingsSchema>;
export type GmailSettings = z.infer<typeof gmailSettingsSchema>;
export type GoogleCredentials = z.infer<typeof googleCredentialsSchema>;
export type SourceSettings = SlackSettings | NotionSettings | GoogleDriveSettings | GmailSettings;
export type SourceCredentials = SlackCredentials | NotionCredentials | GoogleCredentials;
