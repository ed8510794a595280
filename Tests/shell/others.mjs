// Asks documents with the blocks of docs/clients/others.md, which are in app.mjs: for each line 'VERSION SYSTEM' of standard
// input, a line with what 'told' says and the page that the provider's app opens.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

// What the libraries do, as far as the blocks use it; semver refuses anything but three numbers.
mkdirSync('node_modules/react-native', { recursive: true });
mkdirSync('node_modules/react-native-version-check', { recursive: true });
for (const name of ['react-native', 'react-native-version-check']) {
  writeFileSync(`node_modules/${name}/package.json`, '{"type":"module","exports":"./index.js"}');
}
writeFileSync('node_modules/react-native/index.js', `
export const Platform = { get Version() { return globalThis.asked.system; } };
export const Linking = { openURL(url) { globalThis.asked.opened = url; } }; // only after one of two choices
export const Alert = { alert(_, __, [later, update]) { if (!later.onPress && !globalThis.asked.opened) update.onPress(); } };
`);
writeFileSync('node_modules/react-native-version-check/index.js', `
const numbers = (text) => [...text.split('.'), 0, 0, 0].slice(0, Math.max(3, text.split('.').length)).map(Number);
export default {
  async needUpdate({ provider }) {
    try {
      const currentVersion = globalThis.asked.version;
      const { version, storeUrl } = await provider.getVersion({ provider, currentVersion });
      const [one, other] = [numbers(version), numbers(currentVersion)];
      if (one.length > 3 || other.length > 3) throw new TypeError('Invalid Version');
      const place = one.findIndex((number, index) => number !== other[index]);
      return { isNeeded: place >= 0 && one[place] > other[place], storeUrl, currentVersion, latestVersion: version };
    } catch {}
  },
};
`);
globalThis.fetch = async (url) => {
  const path = 'documents' + new URL(url).pathname;
  const headers = globalThis.asked.system === '0' ? {} : { Date: new Date().toUTCString() };
  return existsSync(path) ? new Response(readFileSync(path), { headers }) : new Response('', { status: 404 });
};
for (const [number, line] of readFileSync(0, 'utf8').trim().split('\n').entries()) {
  const [version, system] = line.split(' ');
  globalThis.asked = { version, system, opened: null };
  const { told } = await import(`${process.cwd()}/app.mjs?${number}`);
  const answer = await told('https://updates.example.com', 'taxi', version, system);
  console.log(JSON.stringify({ answer, opened: globalThis.asked.opened }));
}
