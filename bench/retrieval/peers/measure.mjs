// Measures one peer on one set. Standard input holds JSON lines: first the job
// ({engine, documents, depth, warmup}), then as many documents ({id, title, path, text,
// scope}), then the questions ({id, text, scope}), a scope being "" for everywhere.
// Standard output gets a JSON line for each question and at last one with the costs.
//
//	node --expose-gc measure.mjs < job
//
// Processor time is that of the whole process, so that what the collector and the
// compiler of node do for a question counts.
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { bm25 } from './bm25.mjs'
import { minisearch } from './minisearch.mjs'

const engines = { minisearch, bm25 }

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const job = JSON.parse((await lines.next()).value)
const documents = []
while (documents.length < job.documents) documents.push(JSON.parse((await lines.next()).value))
const questions = []
for await (const line of lines) questions.push(JSON.parse(line))

global.gc()
resetPeak()
const before = process.memoryUsage()
let clock = start()
const search = engines[job.engine](documents)
const index = stop(clock)
global.gc()
const after = process.memoryUsage()

for (const text of job.warmup) search(text, '', job.depth)
for (const { id, text, scope } of questions) {
	clock = start()
	const hits = search(text, scope, job.depth)
	print({ id, hits, ...stop(clock) })
}
print({
	indexMs: index.ms,
	indexCpuMs: index.cpu_ms,
	heapMB: (after.heapUsed + after.external - before.heapUsed - before.external) / 1e6,
	rssPeakMB: peak() / 1e6,
})

function print(value) {
	process.stdout.write(JSON.stringify(value) + '\n')
}

function start() {
	return { wall: process.hrtime.bigint(), cpu: process.cpuUsage() }
}

function stop({ wall, cpu }) {
	const used = process.cpuUsage(cpu)
	return { ms: Number(process.hrtime.bigint() - wall) / 1e6, cpu_ms: (used.user + used.system) / 1e3 }
}

// resetPeak makes the peak of resident memory count from now, where there is /proc.
function resetPeak() {
	try {
		writeFileSync('/proc/self/clear_refs', '5')
	} catch {
		// the peak counts from the start of the process
	}
}

// peak is the most memory that was resident, in bytes.
function peak() {
	try {
		return 1024 * Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
	} catch {
		return 1024 * process.resourceUsage().maxRSS
	}
}
