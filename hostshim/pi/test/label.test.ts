import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { labelOf, prepareLabels } from "../src/label.ts";

interface Case {
	id: string;
	kind: string;
	description: string;
	input: { payload: unknown };
	expected: { payload: unknown };
}

const vectors: { cases: Case[] } = JSON.parse(
	readFileSync(new URL("../../../ask/testdata/vectors/ask.json", import.meta.url), "utf8"),
);
const cases = vectors.cases.filter((c) => c.kind === "prepare");

test("the shared vectors have cases for labels", () => assert.ok(cases.length >= 8));

for (const c of cases) {
	test(`${c.id}: ${c.description}`, () => {
		const before = JSON.stringify(c.input.payload);
		assert.deepEqual(prepareLabels(c.input.payload), c.expected.payload);
		assert.equal(JSON.stringify(c.input.payload), before, "the arguments were changed in place");
	});
}

test("labels", () => {
	for (const [value, label] of [
		["use__Go--modules_v2", "Use Go modules v2"],
		["HTTP_api", "HTTP api"],
		["-_-", ""],
		["\u00a0a\ufeff", "A"],
		["ǆ-x", "Ǆ x"],
		["𐐨𐐩", "𐐀𐐩"], // one character, two code units
		["\u0085x", "\u0085x"], // no white space here
	] as const) {
		assert.equal(labelOf(value), label, JSON.stringify(value));
	}
});

test("arguments of any shape pass", () => {
	for (const odd of [
		null,
		undefined,
		7,
		"x",
		[],
		{ questions: null },
		{ questions: [null, 3, { options: 5 }, { options: [null, "a"] }] },
	]) {
		assert.deepEqual(prepareLabels(odd), odd);
	}
});
