/** `^20.19.0 || >=22.12.0`, as in package.json; written out because nothing is installed yet when it is asked. */
export function isSupportedNode(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}

/** Ends the process with one line when this Node can't run Candor. */
export function requireSupportedNode() {
  if (!isSupportedNode(process.version)) {
    console.error(`Candor needs Node 20.19 or newer in 20.x, or 22.12 or newer; this is ${process.version}.`);
    process.exit(1);
  }
}
