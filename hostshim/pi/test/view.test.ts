import assert from "node:assert/strict";
import { test } from "node:test";
import { CURSOR_MARKER, type TUI, visibleWidth } from "@earendil-works/pi-tui";
import { clip, View } from "../src/view.ts";

function form(columns: number, rows: number) {
	const sent: [string, Record<string, unknown>][] = [];
	const terminal = { columns, rows, kittyProtocolActive: false };
	let disposed = 0;
	const view = new View(
		7,
		{ terminal } as unknown as TUI,
		(method, params) => sent.push([method, params]),
		() => disposed++,
	);
	view.focused = true;
	return { view, terminal, sent, disposed: () => disposed };
}

const frame = (lines: string[], seq = 1) => ({ form: 7, seq, cols: 80, rows: 20, lines });

test("no line is wider than the screen, whatever the frame holds", () => {
	const nasty = [
		"x".repeat(500),
		"\x1b[38;5;110m日本語".repeat(40),
		"👩‍👩‍👧‍👦🇩🇪".repeat(30),
		`${"a".repeat(19)}日`,
		"e\u0301".repeat(200),
		`\x1b[1mbold${CURSOR_MARKER} \x1b[0m${"ก็".repeat(90)}`,
		"\u200b\u202e\tmixed".repeat(40),
	];
	for (let width = 1; width <= 120; width++) {
		const { view } = form(width, 40);
		view.show(frame(nasty));
		for (const line of view.render(width)) assert.ok(visibleWidth(line) <= width, `${width}: ${JSON.stringify(line)}`);
	}
});

test("what fits is not touched", () => {
	const line = `\x1b[1mok\x1b[0m ${CURSOR_MARKER}x`;
	assert.equal(clip(line, 4), line);
});

test("a first frame is drawn before the engine is told where it is, and counts as shown behind that", () => {
	const { view, sent } = form(80, 24);
	view.show(frame(["first"]));
	assert.deepEqual(view.render(80), ["first"]);
	assert.deepEqual(sent, []);
	view.mounted();
	view.render(80);
	assert.deepEqual(sent, [
		["form/mounted", { form: 7, cols: 80, rows: 20 }],
		["form/shown", { form: 7, seq: 1 }],
	]);
});

test("an old frame is cut to a smaller screen until the new one is here", () => {
	const { view, terminal, sent } = form(80, 24);
	view.mounted();
	view.show(frame(["a".repeat(80), ...Array.from({ length: 19 }, (_, i) => `line ${i}`)]));
	assert.equal(view.render(80).length, 20);
	terminal.rows = 10;
	const lines = view.render(20);
	assert.equal(lines.length, 6);
	assert.ok(lines[0]?.startsWith("a".repeat(20)) && visibleWidth(lines[0]) === 20);
	view.render(20);
	assert.deepEqual(sent, [
		["form/mounted", { form: 7, cols: 80, rows: 20 }],
		["form/shown", { form: 7, seq: 1 }],
		["form/size", { form: 7, cols: 20, rows: 6 }],
	]);
});

test("lines are made once for each frame and width", () => {
	const { view } = form(80, 24);
	view.show(frame(["one"]));
	const first = view.render(80);
	assert.equal(view.render(80), first);
	assert.notEqual(view.render(70), first);
	view.show(frame(["two"], 2));
	assert.deepEqual(view.render(70), ["two"]);
});

test("the cursor is there only while the form has the keyboard", () => {
	const { view } = form(80, 24);
	view.show(frame([`a${CURSOR_MARKER}b`]));
	assert.deepEqual(view.render(80), [`a${CURSOR_MARKER}b`]);
	view.focused = false;
	assert.deepEqual(view.render(80), ["ab"]);
});

test("a form that is drawn before it is mounted is mounted all the same", () => {
	const { view, sent } = form(80, 24);
	assert.deepEqual(view.render(80), []);
	assert.deepEqual(sent, []);
	view.mounted();
	assert.deepEqual(sent, [["form/mounted", { form: 7, cols: 80, rows: 20 }]]);
});

test("keys and pastes go to the engine, nothing else does", () => {
	const { view, sent, disposed } = form(80, 24);
	for (const data of ["\r", "é", "\x1b[200~a\rb\x1b[201~", "\x1b[999;999q"]) view.handleInput(data);
	assert.deepEqual(sent, [
		["form/key", { form: 7, id: "enter", text: "" }],
		["form/key", { form: 7, id: "", text: "é" }],
		["form/paste", { form: 7, text: "a\nb" }],
	]);
	view.dispose();
	assert.equal(disposed(), 1);
});
