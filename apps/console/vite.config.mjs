import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;
const COMPRESSIBLE = /\.(js|css|svg)$/;

/** The gateway sends what is compressed already: nobody compresses the same bytes at each request. */
function compressOnce() {
  return {
    name: 'compress-once',
    apply: 'build',
    async writeBundle({ dir }) {
      const names = (await readdir(dir, { recursive: true })).filter((name) => COMPRESSIBLE.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(dir, name);
          await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
        }),
      );
    },
  };
}

export default defineConfig({
  root,
  base: '/console/',
  plugins: [react(), compressOnce()],
  build: {
    outDir: join(root, 'dist'),
    emptyOutDir: true,
    // A data: URL would need a hole in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    target: 'es2023',
  },
  // For work on the console itself: `npx vite apps/console` beside a running gateway.
  server: { proxy: Object.fromEntries(['/v1', '/readyz'].map((path) => [path, 'http://127.0.0.1:3000'])) },
});
