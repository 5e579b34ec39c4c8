import {
  AppError,
  auditExportLineSchema,
  type AuditExportLine,
  type AuditFinding,
  type AuditHead,
  type ChainEvent,
} from '@candor/contracts';
import type { PublicKeys } from './audit-keys.js';
import { ChainWalk } from './verify-chain.js';

export interface ExportVerification {
  tenantId: string;
  intact: boolean;
  findings: AuditFinding[];
  fromBatch: number;
  toBatch: number | null;
  events: number;
  /** Removed by retention, as sealed records say. */
  expiredBatches: number;
  expiredEvents: number;
  erasedEvents: number;
  unsealedEvents: number;
  /** Whose keys the signatures were held against: those of the caller, or only those that the export itself brought. */
  keysFrom: 'given' | 'export';
}

export interface VerifyExportOptions {
  /** Absent: the export's own, which proves consistency but not who signed. */
  trustedKeys?: PublicKeys | undefined;
  keptHeads?: readonly Pick<AuditHead, 'batch' | 'digest'>[] | undefined;
}

/**
 * Verifies an export without the server that made it, line by line.
 * @throws AppError REQUEST.INVALID naming the line that is no line of an export, or the end that is missing
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  { trustedKeys, keptHeads }: VerifyExportOptions = {},
): Promise<ExportVerification> {
  let number = 0;
  let start: Extract<AuditExportLine, { type: 'chain' }> | undefined;
  let walk: ChainWalk | undefined;
  let events: ChainEvent[] = [];
  let end: Extract<AuditExportLine, { type: 'end' }> | undefined;
  const counted = { batches: 0, events: 0, unsealed: 0 };
  for await (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const line = parseLine(text, number);
    if (end) throw invalid(number, 'comes after the end');
    if (line.type === 'chain') {
      if (start) throw invalid(number, 'begins a second export');
      start = line;
      const previous = line.fromBatch > 1 ? { batch: line.fromBatch - 1, digest: line.previousDigest } : undefined;
      walk = new ChainWalk({ keys: trustedKeys ?? toKeys(line.keys), previous, keptHeads: keptHeads ?? [] });
    } else if (!walk || !start) throw invalid(number, 'comes before the line of type "chain"');
    else if (line.type === 'event') {
      events.push(line.event);
      counted.events += 1;
    } else if (line.type === 'batch') {
      if (line.batch.tenantId !== start.tenantId) throw invalid(number, 'is of another tenant');
      walk.add(line.batch, events);
      events = [];
      counted.batches += 1;
    } else if (line.type === 'unsealed') counted.unsealed += 1;
    else end = line;
  }
  if (!walk || !start)
    throw new AppError('REQUEST.INVALID', { message: 'The file holds no export of an audit trail.' });
  if (!end) throw invalid(number, 'is the last one, and the line of type "end" is missing: the export was cut off');
  if (end.unsealed !== counted.unsealed)
    throw invalid(number, `says that ${end.unsealed} events are unsealed, and ${counted.unsealed} are there`);
  for (const event of events) walk.noteStray(event.id);
  walk.noteCounts(end, counted);
  walk.finish({ isComplete: true });
  return {
    tenantId: start.tenantId,
    intact: walk.findings.length === 0,
    findings: walk.findings,
    fromBatch: start.fromBatch,
    toBatch: walk.last?.batch ?? null,
    events: walk.events,
    expiredBatches: walk.expiredBatches,
    expiredEvents: walk.expiredEvents,
    erasedEvents: walk.erasedEvents,
    unsealedEvents: counted.unsealed,
    keysFrom: trustedKeys ? 'given' : 'export',
  };
}

function toKeys(keys: readonly { keyId: string; publicKey: string }[]): PublicKeys {
  return new Map(keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
}

function parseLine(text: string, number: number): AuditExportLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(number, 'is not JSON');
  }
  const parsed = auditExportLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(number, `is no line of an export: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

function invalid(line: number, rule: string): AppError {
  return new AppError('REQUEST.INVALID', { message: `Line ${line} ${rule}.`, details: { line } });
}
