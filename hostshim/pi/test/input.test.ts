import assert from "node:assert/strict";
import { test } from "node:test";
import { setKittyProtocolActive } from "@earendil-works/pi-tui";
import { dropTyping, type Input, readInput } from "../src/input.ts";

const cases: [name: string, data: string, want: Input | undefined][] = [
	["a letter", "n", { id: "n", text: "n" }],
	["a capital letter", "N", { id: "N", text: "N" }],
	["a question mark", "?", { id: "?", text: "?" }],
	["space", " ", { id: "space", text: " " }],
	["enter", "\r", { id: "enter", text: "" }],
	["escape", "\x1b", { id: "escape", text: "" }],
	["an arrow", "\x1b[A", { id: "up", text: "" }],
	["shift and tab", "\x1b[Z", { id: "shift+tab", text: "" }],
	["control and c", "\x03", { id: "ctrl+c", text: "" }],
	["a letter with an accent", "é", { id: "", text: "é" }],
	["a wide character", "語", { id: "", text: "語" }],
	["an emoji of several code points", "👩‍💻", { id: "", text: "👩‍💻" }],
	["a paste with returns", "\x1b[200~one\r\ntwo\rthree\x1b[201~", { paste: "one\ntwo\nthree" }],
	["a paste that holds a key release", "\x1b[200~\x1b[97;1:3u\x1b[201~", { paste: "\x1b[97;1:3u" }],
	["an empty paste", "\x1b[200~\x1b[201~", { paste: "" }],
	["a sequence nobody knows", "\x1b[999;999q", undefined],
];

for (const [name, data, want] of cases) test(name, () => assert.deepEqual(readInput(data), want));

test("with the Kitty protocol", () => {
	setKittyProtocolActive(true);
	try {
		assert.deepEqual(readInput("\x1b[110:78;2u"), { id: "shift+n", text: "N" });
		assert.deepEqual(readInput("\x1b[233u"), { id: "", text: "é" }, "text without an id");
		assert.equal(readInput("\x1b[97;1:3u"), undefined, "a release");
		for (const [data, id, text] of [
			["\x1b[13;1:2u", "enter", ""],
			["\x1b[1;1:2B", "down", ""],
			["\x1b[32;1:2u", "space", " "],
			["\x1b[97;1:2u", "a", "a"],
			["\x1b[233;1:2u", "", "é"],
		] as const)
			assert.deepEqual(readInput(data), { id, text, repeat: true }, "what a held key does is for the form to say");
	} finally {
		setKittyProtocolActive(false);
	}
});

test("what was typed for a form that is gone is dropped until a pause", () => {
	const listeners = new Set<(data: string) => { consume?: boolean } | undefined>();
	let now = 0;
	const begin = () =>
		dropTyping(
			{
				onTerminalInput(handler) {
					listeners.add(handler);
					return () => listeners.delete(handler);
				},
			},
			() => now,
		);
	const dropped = (data: string, pause = 0) => {
		now += pause;
		return [...listeners].some((l) => l(data)?.consume);
	};
	begin();
	for (const key of ["1", "\r", "\x1b", "\x1b[A", "\x1b[97;1:2u", "\x1b[200~text\x1b[201~"])
		assert.equal(dropped(key), true, JSON.stringify(key));
	for (const reply of ["\x1b[?1u", "\x1b[6;20;10t", "\x1b]11;rgb:0000/0000/0000\x07"])
		assert.equal(dropped(reply), false, JSON.stringify(reply));
	assert.equal(dropped("x", 299), true);
	assert.equal(dropped("x", 299), true, "each key starts the pause anew");
	assert.equal(dropped("\x1b[?1u", 200), false);
	assert.equal(dropped("x", 100), false, "no key came for a while");
	assert.equal(listeners.size, 0);

	begin()();
	assert.equal(listeners.size, 0, "ended early");

	begin();
	for (let ms = 0; ms < 2000; ms += 100) assert.equal(dropped("x", ms && 100), true, `${ms} ms`);
	assert.equal(dropped("x", 100), false, "two seconds are enough");
	assert.equal(listeners.size, 0);
});
