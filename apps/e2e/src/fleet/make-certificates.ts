import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM, as the variables `GRPC_TLS_*` take them. */
export interface GrpcCertificate {
  GRPC_TLS_CA: string;
  GRPC_TLS_CERT: string;
  GRPC_TLS_KEY: string;
}

/** An authority and a certificate of it for each name, used as cert-manager's are: leafs, with one usage each. */
export function makeCertificates<Name extends string>(
  usages: Record<Name, 'clientAuth' | 'serverAuth'>,
): Record<Name, GrpcCertificate> {
  const folder = mkdtempSync(join(tmpdir(), 'candor-certificates-'));
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe', cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl('req', '-x509', ...newKey, '-days', '1', '-subj', '/CN=candor', '-keyout', 'ca.key', '-out', 'ca.crt');
    const entries = (Object.keys(usages) as Name[]).map((name) => {
      writeFileSync(
        file('extensions'),
        `subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=${usages[name]}\nbasicConstraints=CA:FALSE\n`,
      );
      openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
      const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'extensions'];
      openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.crt`);
      const read = (path: string): string => readFileSync(file(path), 'utf8');
      return [
        name,
        { GRPC_TLS_CA: read('ca.crt'), GRPC_TLS_CERT: read(`${name}.crt`), GRPC_TLS_KEY: read(`${name}.key`) },
      ] as const;
    });
    return Object.fromEntries(entries) as Record<Name, GrpcCertificate>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
