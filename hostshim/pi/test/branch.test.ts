import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { branch } from "../src/branch.ts";

const entries = [
	{ id: "a", parentId: null, type: "model_change" },
	{ id: "b", parentId: "a", type: "message", message: { role: "user", content: [{ type: "text", text: "hello" }] } },
	{
		id: "c",
		parentId: "b",
		type: "message",
		message: {
			role: "assistant",
			stopReason: "toolUse",
			content: [
				{ type: "text", text: "long ".repeat(1000) },
				{ type: "toolCall", id: "t1", name: "ask_user", arguments: {} },
			],
		},
	},
	{ id: "d", parentId: "c", type: "custom", customType: "ask:payload", data: { version: 1 } },
	{ id: "e", parentId: "d", type: "custom", customType: "other:thing", data: {} },
	{
		id: "f",
		parentId: "e",
		type: "message",
		message: {
			role: "toolResult",
			toolCallId: "t1",
			toolName: "ask_user",
			isError: false,
			details: { big: 1 },
			content: ["x"],
		},
	},
	{
		id: "g",
		parentId: "f",
		type: "message",
		message: {
			role: "toolResult",
			toolCallId: "t2",
			toolName: "wait_for_answers",
			isError: false,
			details: { results: [] },
			content: [],
		},
	},
	{ id: "x", parentId: "b", type: "custom", customType: "ask:payload", data: {} }, // on another branch
];

const session = (leaf: string | null) => ({
	getLeafId: () => leaf,
	getEntry: (id: string) => entries.find((e) => e.id === id) as unknown as SessionEntry | undefined,
});
const ids = (b: { entries: unknown[] }) => b.entries.map((e) => (e as { id: string }).id).join("");

test("the whole branch, without what is not ours", () => {
	const b = branch(session("g"));
	assert.equal(b.leaf, "g");
	assert.equal(b.complete, false);
	assert.equal(ids(b), "bcdfg");
	const [, call, , result, wait] = b.entries as { message: Record<string, unknown> }[];
	assert.deepEqual(call?.message, {
		role: "assistant",
		stopReason: "toolUse",
		content: [{ type: "toolCall", id: "t1", name: "ask_user", arguments: {} }],
	});
	assert.deepEqual(result?.message, { role: "toolResult", toolCallId: "t1", toolName: "ask_user", isError: false });
	assert.deepEqual(wait?.message.details, { results: [] });
});

test("only what follows an entry of the branch, also one that is not ours", () => {
	assert.deepEqual([ids(branch(session("g"), "c")), branch(session("g"), "c").complete], ["dfg", true]);
	assert.deepEqual([ids(branch(session("g"), "e")), branch(session("g"), "e").complete], ["fg", true]);
	assert.deepEqual(branch(session("g"), "g"), { leaf: "g", entries: [], complete: true });
});

test("an entry that is not on the branch gives the whole branch", () => {
	assert.deepEqual([ids(branch(session("g"), "x")), branch(session("g"), "x").complete], ["bcdfg", false]);
	assert.deepEqual(branch(session(null)), { leaf: "", entries: [], complete: false });
});
