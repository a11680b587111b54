// usage: node state.mjs write|read CHROMIUM URL FILE. Logs in at URL/login and writes the storage state, or begins with the
// state of the file. Prints what the page at URL knows.
import { chromium } from 'playwright-core';

const [action, executablePath, url, path] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const context = await browser.newContext(action === 'read' ? { storageState: path } : {});
  const page = await context.newPage();
  if (action === 'write') {
    await page.goto(url + '/login');
    await page.evaluate(() => window.ready);
    await context.addCookies([{ name: 'embedded', value: 'secret-partition', url: 'https://embed.example/', sameSite: 'None', secure: true, partitionKey: 'https://top.example' }]);
    await context.storageState({ path, indexedDB: true });
  }
  const partitioned = (await context.cookies()).filter((c) => c.name === 'embedded').map((c) => c.partitionKey);
  await page.goto(url);
  console.log(await page.evaluate(() => window.ready), 'partitioned', partitioned.join());
} finally {
  await browser.close();
}
