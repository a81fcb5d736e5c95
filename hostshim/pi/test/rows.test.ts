import assert from "node:assert/strict";
import { test } from "node:test";
import type { Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { RpcError } from "../src/peer.ts";
import { plainText, Row, type RowContent, type Span, withoutImages } from "../src/rows.ts";

const theme = {
	bold: (t: string) => `*${t}*`,
	fg(role: string, t: string) {
		if (role === "nonsense") throw new Error("no such colour");
		return `<${role}>${t}</>`;
	},
} as unknown as Theme;

const result: RowContent = {
	kind: "result",
	content: [
		{ type: "text", text: "ask_user [4711]\nStore: SQLite" },
		{ type: "image", data: "AA==" },
	],
};

/** A row whose engine answers when the test says so. */
function row(content: RowContent, running = true) {
	const asked: { width: number }[] = [];
	const answers: { resolve(l: Span[][]): void; reject(e: Error): void }[] = [];
	let changes = 0;
	const draw = (r: { width: number }) => {
		if (!running) return undefined;
		asked.push(r);
		return new Promise<Span[][]>((resolve, reject) => answers.push({ resolve, reject }));
	};
	const made = new Row("ask_user", content, theme, draw, () => changes++);
	const settle = () => new Promise((resolve) => setImmediate(resolve));
	return {
		row: made,
		asked,
		changes: () => changes,
		async answer(lines: Span[][]) {
			answers.shift()?.resolve(lines);
			await settle();
		},
		async fail(e: Error) {
			answers.shift()?.reject(e);
			await settle();
		},
		run: () => {
			running = true;
		},
	};
}

test("plain text stands for a row until the engine has drawn it", async () => {
	const r = row(result);
	assert.deepEqual(r.row.render(40), ["Store: SQLite"]);
	assert.deepEqual(r.asked, [{ ...result, width: 40 }]);
	await r.answer([[{ role: "success", bold: true, text: "✓" }, { text: " Store" }], []]);
	assert.equal(r.changes(), 1);
	const lines = r.row.render(40);
	assert.deepEqual(lines, ["<success>*✓*</> Store", ""]);
	assert.equal(r.row.render(40), lines, "the same array while nothing changes");
	assert.equal(r.asked.length, 1);
});

test("another width and other content are asked for, the same are not", async () => {
	const r = row(result);
	r.row.render(40);
	await r.answer([[{ text: "drawn" }]]);
	r.row.set({ ...result }, theme).render(40);
	assert.equal(r.asked.length, 1);
	r.row.render(30);
	r.row.set({ kind: "result", content: [] }, theme).render(30);
	assert.equal(r.asked.length, 3);
	await r.answer([[{ text: "old" }]]);
	assert.equal(r.changes(), 1, "the answer for older content is dropped");
	await r.answer([[{ text: "new" }]]);
	assert.deepEqual(r.row.render(30), ["new"]);
});

test("a row without an engine is drawn when there is one", async () => {
	const r = row(result, false);
	assert.deepEqual(r.row.render(40), ["Store: SQLite"]);
	r.run();
	r.row.render(40);
	await r.answer([[{ text: "drawn" }]]);
	assert.deepEqual(r.row.render(40), ["drawn"]);
});

test("after a crash it is asked again, after a refusal it is not", async () => {
	const r = row(result);
	r.row.render(40);
	await r.fail(new Error("the engine has stopped"));
	r.row.render(40);
	await r.fail(new RpcError(-32602, "bad details"));
	assert.deepEqual(r.row.render(40), ["Store: SQLite"]);
	assert.equal(r.asked.length, 2);
});

test("rows are clipped, and unknown roles are plain", async () => {
	const r = row(result);
	r.row.render(8);
	await r.answer([[{ role: "nonsense", text: "日本語日本語" }]]);
	for (const line of r.row.render(8)) assert.ok(visibleWidth(line) <= 8, line);
});

test("plain texts", () => {
	assert.equal(plainText({ kind: "call", args: {} }, "ask_user"), "ask_user");
	assert.equal(plainText(result, "ask_user"), "Store: SQLite");
	assert.equal(plainText({ kind: "wait", content: undefined }, "wait_for_answers"), "");
});

test("the bytes of images stay here, texts of any name do not change", () => {
	const data = "iVBOR".repeat(100);
	const long = "a note ".repeat(100);
	const row = {
		details: { image: { id: "1", mimeType: "image/png", data }, optionNotes: { data: long, other: long } },
	};
	assert.deepEqual(withoutImages(row), {
		details: { image: { id: "1", mimeType: "image/png", data: "AA==" }, optionNotes: { data: long, other: long } },
	});
	assert.equal(row.details.image.data, data);
});
