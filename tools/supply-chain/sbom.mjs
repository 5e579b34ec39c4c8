/** `npm run sbom -- <file>`: writes the bill of materials (CycloneDX) of this version; default `.candor/sbom.cdx.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeBill } from './run-npm.mjs';

const file = resolve(process.argv[2] ?? '.candor/sbom.cdx.json');
const bill = makeBill();
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${file}: ${bill.components.length} components`);
