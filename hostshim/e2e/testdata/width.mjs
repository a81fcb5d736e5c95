// Draws a form of difficult texts at every width from 20 to 120 columns in a running engine, and its rows of the
// transcript, and measures each line with pi's own ruler.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [engine, tui, corpus, agentDir] = process.argv.slice(2);
const { visibleWidth } = await import(tui);
const { texts, form } = JSON.parse(readFileSync(corpus, "utf8"));
const child = spawn(engine, ["serve"], { stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answers = new Map();
const frames = [];
let next = 0;
let number;
let came = () => {};
const entries = [];
createInterface({ input: child.stdout }).on("line", (line) => {
	const { id, method, params, result, error } = JSON.parse(line);
	if (!method) return answers.get(id)?.(error ?? result);
	if (method === "form/frame") {
		frames.push(params);
		return came();
	}
	if (method === "form/open") number = params.form;
	if (method === "journal/append") entries.push({ id: String(entries.length + 1), type: "custom", ...params });
	if (id === undefined) return;
	const reply = {
		"journal/append": { id: String(entries.length) },
		"session/branch": { leaf: String(entries.length), entries, complete: false },
		"agent/state": { idle: true },
	};
	send({ id, result: reply[method] ?? {} });
});
const call = (method, params) =>
	new Promise((done) => {
		answers.set(++next, done);
		send({ id: next, method, params });
	});
const notify = (method, params) => send({ method, params });
const settle = (ms) => new Promise((done) => setTimeout(done, ms));

await call("initialize", {
	protocol: 1, host: { name: "test", version: "1" }, mode: "tui", cwd: process.cwd(), agentDir,
	term: { cols: 120, rows: 40 }, theme: { fg: {}, bg: {} }, keys: { pasteImage: [], pasteImageLabels: [] }, powers: [],
});
await call("session/start", { gen: 1, reason: "new", mode: "tui", cwd: process.cwd(), editorReady: true });
call("tool/execute", { gen: 1, callId: "c", name: "ask_user", params: form, cwd: process.cwd() });
while (number === undefined) await settle(10);
notify("form/mounted", { form: number, cols: 120, rows: 40 });
const key = (id, text = "") => notify("form/key", { form: number, id, text });
let wide = 0;
let lines = 0;
const measure = (line, width, what) => {
	lines++;
	if (visibleWidth(line) > width && wide++ < 20) console.log(`${what} at ${width}: ${visibleWidth(line)} columns: ${JSON.stringify(line)}`);
};
while (frames.length === 0) await settle(10);
notify("form/shown", { form: number, seq: frames.at(-1).seq });
await settle(400); // until the form takes keys
const sweep = async (what) => {
	for (let cols = 20; cols <= 120; cols++) {
		const due = new Promise((done) => { came = () => frames.at(-1).cols === cols && done(); });
		notify("form/size", { form: number, cols, rows: 40 });
		await due;
		for (const line of frames.at(-1).lines) measure(line, cols, what);
		frames.length = 0;
	}
};
await sweep("single");
for (let i = 0; i < 12; i++) key("down");
await sweep("scrolled");
key("n");
for (const text of texts) notify("form/paste", { form: number, text });
await sweep("note editor");
key("enter");
key("tab");
await sweep("multi");
key("tab");
await sweep("preview");
for (let i = 0; i < 8; i++) key("down");
await sweep("another preview");
key("1", "1");
await sweep("review");
for (let width = 20; width <= 120; width++) {
	const { lines: call_ } = await call("row/render", { kind: "call", width, args: form });
	const details = { cancelled: false, mode: "submit", questions: [{ id: "q", label: texts[0], prompt: texts.join(" "), type: "multi" }],
		answers: { q: { values: texts, labels: texts, indices: [], note: texts.join(" ") } } };
	const result = await call("row/render", { kind: "result", width, details, content: [] });
	const answer = await call("row/render", { kind: "answer", width, details: { requestId: "r", result: details }, content: [{ type: "text", text: "x" }] });
	for (const line of [...call_, ...result.lines, ...answer.lines]) measure(line.map((s) => s.text).join(""), width, "row");
}
child.stdin.end();
console.log(`${lines} lines measured, ${wide} too wide`);
process.exitCode = wide > 0 || lines < 20000 ? 1 : 0;
