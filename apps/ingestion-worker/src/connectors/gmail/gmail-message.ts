import { z } from 'zod';

export interface GmailPart {
  partId?: string | null | undefined;
  mimeType?: string | null | undefined;
  filename?: string | null | undefined;
  headers?: { name?: string | null | undefined; value?: string | null | undefined }[] | null | undefined;
  body?:
    | { size?: number | null | undefined; data?: string | null | undefined; attachmentId?: string | null | undefined }
    | null
    | undefined;
  parts?: GmailPart[] | null | undefined;
}

const text = z.string().nullish();
const partSchema: z.ZodType<GmailPart> = z.looseObject({
  partId: text,
  mimeType: text,
  filename: text,
  headers: z.array(z.looseObject({ name: text, value: text })).nullish(),
  body: z.looseObject({ size: z.number().nullish(), data: text, attachmentId: text }).nullish(),
  parts: z.lazy(() => z.array(partSchema)).nullish(),
});
const messageSchema = z.looseObject({
  id: z.string().min(1),
  labelIds: z.array(z.string()).nullish(),
  /** Milliseconds since 1970, as Gmail received it. */
  internalDate: text,
  payload: partSchema.nullish(),
});
export const gmailThreadSchema = z.looseObject({ id: z.string().min(1), messages: z.array(messageSchema).nullish() });
export type GmailMessage = z.infer<typeof messageSchema>;
export type GmailThread = z.infer<typeof gmailThreadSchema>;

const HIDDEN = ['DRAFT', 'SPAM', 'TRASH'];

export function isLive(message: GmailMessage): boolean {
  return !message.labelIds?.some((label) => HIDDEN.includes(label));
}

/** Oldest first. */
export function sortByDate(messages: readonly GmailMessage[]): GmailMessage[] {
  return [...messages].sort((left, right) => Number(left.internalDate ?? 0) - Number(right.internalDate ?? 0));
}

export function readDate(message: GmailMessage): Date | null {
  const time = Number(message.internalDate ?? Number.NaN);
  return Number.isFinite(time) && time > 0 ? new Date(time) : null;
}

export function findHeader(part: GmailPart | null | undefined, name: string): string {
  return part?.headers?.find((header) => header.name?.toLowerCase() === name)?.value ?? '';
}
