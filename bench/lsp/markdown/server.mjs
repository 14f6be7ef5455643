// VS Code's Markdown server behind standard input and output, for a client that has nothing
// of VS Code: what the server asks of its editor by requests of its own (files, and the
// tokens of markdown-it) is answered here, everything else is passed on.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import MarkdownIt from 'markdown-it';

const require = createRequire(import.meta.url);
const { StreamMessageReader, StreamMessageWriter } = require('vscode-jsonrpc/node');
const main = path.join(path.dirname(require.resolve('vscode-markdown-languageserver/package.json')), 'dist/node/workerMain.js');

const server = spawn(process.execPath, [main, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const toServer = new StreamMessageWriter(server.stdin);
const toClient = new StreamMessageWriter(process.stdout);
const engine = new MarkdownIt({ html: true });
const buffers = new Map();
let roots = [];

const kind = (s) => ({ isDirectory: s.isDirectory() });
const file = (uri) => fileURLToPath(uri);
const answers = {
	'markdown/parse': ({ uri, text }) => engine.parse(text ?? buffers.get(uri) ?? fs.readFileSync(file(uri), 'utf8'), {}),
	'markdown/fs/readFile': ({ uri }) => [...fs.readFileSync(file(uri))],
	'markdown/fs/readDirectory': ({ uri }) => fs.readdirSync(file(uri), { withFileTypes: true }).map((e) => [e.name, kind(e)]),
	'markdown/fs/stat': ({ uri }) => (fs.existsSync(file(uri)) ? kind(fs.statSync(file(uri))) : undefined),
	'markdown/findMarkdownFilesInWorkspace': () => roots.flatMap(markdownFiles),
	'markdown/fs/watcher/create': () => null,
	'markdown/fs/watcher/delete': () => null,
};

function markdownFiles(dir) {
	return fs.readdirSync(dir, { withFileTypes: true, recursive: true })
		.filter((e) => e.isFile() && e.name.endsWith('.md'))
		.map((e) => pathToFileURL(path.join(e.parentPath, e.name)).href);
}

new StreamMessageReader(process.stdin).listen((m) => {
	if (m.method === 'initialize') roots = (m.params.workspaceFolders ?? []).map((f) => file(f.uri));
	if (m.method === 'textDocument/didOpen') buffers.set(m.params.textDocument.uri, m.params.textDocument.text);
	if (m.method === 'textDocument/didChange') buffers.delete(m.params.textDocument.uri); // the server sends the text itself
	toServer.write(m);
});
new StreamMessageReader(server.stdout).listen((m) => {
	const answer = m.id !== undefined && answers[m.method];
	if (!answer) return toClient.write(m);
	try {
		toServer.write({ jsonrpc: '2.0', id: m.id, result: answer(m.params ?? {}) ?? null });
	} catch (err) {
		toServer.write({ jsonrpc: '2.0', id: m.id, error: { code: -32603, message: String(err) } });
	}
});
server.on('exit', (code) => process.exit(code ?? 1));
process.stdin.on('end', () => setTimeout(() => server.kill(), 1000)); // it ends by itself after exit
