import { AppError } from '@candor/contracts';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

export interface ZipLimits {
  entries: number;
  /** Of one entry, unpacked. */
  entryBytes: number;
  /** Of all entries, unpacked, as the archive states and as it turns out. */
  totalBytes: number;
  /** Unpacked to packed; small archives may exceed it. */
  ratio: number;
}

const MEBIBYTE = 1024 * 1024;
export const ZIP_LIMITS: ZipLimits = {
  entries: 10_000,
  entryBytes: 128 * MEBIBYTE,
  totalBytes: 256 * MEBIBYTE,
  ratio: 200,
};
/** Below this nothing is a bomb, however well it packs. */
const HARMLESS_BYTES = 10 * MEBIBYTE;

/** Reads entries of an archive in memory; every byte that comes out is counted against the limits. */
export class ZipArchive {
  private unpackedBytes = 0;

  constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly limits: ZipLimits,
  ) {}

  get names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  hasFolder(prefix: string): boolean {
    return this.names.some((name) => name.startsWith(prefix));
  }

  /** @throws AppError EXTRACT.UNREADABLE without such an entry or when it is damaged, EXTRACT.TOO_LARGE, EXTRACT.ENCRYPTED */
  async read(name: string): Promise<Buffer> {
    const entry = this.entries.get(name);
    if (!entry) throw new AppError('EXTRACT.UNREADABLE', { message: `The file lacks its part ${name}.` });
    if (entry.isEncrypted()) throw new AppError('EXTRACT.ENCRYPTED');
    const stream = await this.zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw toUnreadable(error);
    });
    const parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const part of stream as AsyncIterable<Buffer>) {
        size += part.length;
        this.unpackedBytes += part.length;
        if (size > this.limits.entryBytes || this.unpackedBytes > this.limits.totalBytes) throw tooLarge();
        parts.push(part);
      }
    } catch (error) {
      stream.destroy();
      throw error instanceof AppError ? error : toUnreadable(error);
    }
    return Buffer.concat(parts, size);
  }

  /** UTF-8, as the parts of Office files are; UTF-16 where a byte order mark says so. */
  async readText(name: string): Promise<string> {
    const bytes = await this.read(name);
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return new TextDecoder(encoding).decode(bytes);
  }
}

/**
 * Checks what the archive says of itself before anything is unpacked.
 *
 * @throws AppError EXTRACT.UNREADABLE when damaged, EXTRACT.TOO_LARGE when it would unpack to more than the limits.
 */
export async function openZip(bytes: Uint8Array, limits: ZipLimits = ZIP_LIMITS): Promise<ZipArchive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await openBuffer(buffer).catch((error: unknown) => {
    throw toUnreadable(error);
  });
  return indexZip(zip, limits);
}

/** As `openZip`, of an archive that is already open, e.g. one too large for the memory. */
export async function indexZip(zip: ZipFile, limits: ZipLimits): Promise<ZipArchive> {
  try {
    return new ZipArchive(zip, await listEntries(zip, limits), limits);
  } catch (error) {
    throw error instanceof AppError ? error : toUnreadable(error);
  }
}

function openBuffer(buffer: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(buffer, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

function listEntries(zip: ZipFile, limits: ZipLimits): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>();
    let unpacked = 0;
    let packed = 0;
    zip.on('error', reject);
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      unpacked += entry.uncompressedSize;
      packed += entry.compressedSize;
      if (entries.size >= limits.entries || entry.uncompressedSize > limits.entryBytes || unpacked > limits.totalBytes)
        return reject(tooLarge());
      if (unpacked > HARMLESS_BYTES && unpacked > packed * limits.ratio) return reject(tooLarge());
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

function tooLarge(): AppError {
  return new AppError('EXTRACT.TOO_LARGE', { message: 'The file unpacks to more than can be read.' });
}

function toUnreadable(cause: unknown): AppError {
  return new AppError('EXTRACT.UNREADABLE', { message: 'The file is damaged: its parts cannot be unpacked.', cause });
}
