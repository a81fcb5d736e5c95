#!/usr/bin/env node
// An engine with one fixed form, for tests of how the extension keeps its process. FAKE_ENGINE says how it misbehaves:
//   version   speaks another protocol         refuse   answers initialize with an error
//   silent    never answers                   exit     ends before it answers
//   lost      cannot start the session
//   garbage   mixes lines in that are no messages
//   deaf      stops reading after initialize  stay     does not end when it is asked to
// In the form, Enter answers, "c" crashes the engine, "w" draws a line that is far too wide.
import { createInterface } from "node:readline";

const how = process.env.FAKE_ENGINE ?? "";
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const pending = new Map();
let next = 1;
const call = (method, params) =>
	new Promise((resolve, reject) => {
		pending.set(next, { resolve, reject });
		write({ id: next++, method, params });
	});

const forms = new Map();
let size = { cols: 80, rows: 20 };

function draw(form, extra = []) {
	const f = forms.get(form);
	const lines = [`Fake form ${form}`, `keys: ${f.keys.join(" ")}`, `size ${size.cols}x${size.rows}`, ...extra];
	write({ method: "form/frame", params: { form, seq: ++f.seq, cols: size.cols, rows: size.rows, lines } });
}

function die(words) {
	process.stderr.write(`${words}\n`);
	process.exit(3);
}

async function execute({ gen, callId, name }) {
	if (name === "wait_for_answers") throw { code: -32001, message: "wait_for_answers needs interactive TUI mode." };
	const form = forms.size + 1;
	const ended = new Promise((resolve) => forms.set(form, { keys: [], seq: 0, resolve, callId }));
	await call("form/open", { gen, form, kind: "ask" });
	const text = await ended;
	await call("form/close", { form });
	const details = { cancelled: text !== "answered" };
	return { content: [{ type: "text", text }], details, structuredContent: details };
}

const methods = {
	initialize() {
		if (how === "exit") die("could not read the moon");
		if (how === "refuse") throw { code: -32011, message: "protocol 1 is not supported; the engine speaks 7" };
		if (how === "silent") return new Promise(() => {});
		if (how === "garbage") process.stdout.write('hello there\n{"half":\n[]\n42\n\n');
		if (how === "deaf") setImmediate(() => process.stdin.pause());
		return { protocol: how === "version" ? 7 : 1, version: "9.9.9" };
	},
	"session/start"() {
		if (how === "lost") throw { code: -32603, message: "the session cannot be read" };
	},
	"tool/execute": execute,
	"tool/cancel"({ callId }) {
		for (const f of forms.values()) if (f.callId === callId) f.resolve("interrupted");
	},
	"form/mounted"({ form, cols, rows }) {
		size = { cols, rows };
		draw(form);
	},
	"form/size": (p) => methods["form/mounted"](p),
	"form/key"({ form, id, text }) {
		const f = forms.get(form);
		f.keys.push(id || text);
		if (text === "c") die("panic: lost my head");
		if (id === "enter") return f.resolve("answered");
		draw(form, text === "w" ? ["wide 日本 ".repeat(60)] : []);
	},
	"form/paste"({ form, text }) {
		forms.get(form).keys.push(`paste(${JSON.stringify(text)})`);
		draw(form);
	},
	"turn/boundary": () => ({ entries: [], continue: false }),
	"row/render": ({ kind }) => ({ lines: [[{ role: "accent", bold: true, text: `fake ${kind}` }]] }),
	shutdown() {
		if (how !== "stay") setImmediate(() => process.exit(0));
	},
};

createInterface({ input: process.stdin }).on("line", async (line) => {
	const { id, method, params, result, error } = JSON.parse(line);
	if (method === undefined) {
		const p = pending.get(id);
		pending.delete(id);
		return error ? p?.reject(error) : p?.resolve(result);
	}
	try {
		const out = (await methods[method]?.(params)) ?? {};
		if (id !== undefined) write({ id, result: out });
	} catch (e) {
		if (id !== undefined) write({ id, error: { code: e.code ?? -32603, message: e.message ?? String(e) } });
	}
});
if (how === "stay") {
	process.stdin.on("end", () => setInterval(() => {}, 1000));
	process.on("SIGTERM", () => {});
}
